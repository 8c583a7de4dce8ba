/** A writing system, as far as a language shows it. */
export type Script = 'latin' | 'kana' | 'han' | 'hangul' | 'cyrillic';

const SCRIPTS: readonly (readonly [Script, RegExp])[] = [
  ['latin', /\p{Script=Latin}/u],
  ['kana', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['han', /\p{Script=Han}/u],
  ['hangul', /\p{Script=Hangul}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
];

// Languages that are often left in Latin letters, such as the names of characters in Thai, are missing here.
const OF_LANGUAGE: Readonly<Record<string, readonly Script[]>> = {
  ja: ['kana', 'han'],
  jp: ['kana', 'han'],
  ko: ['hangul'],
  kr: ['hangul'],
  zh: ['han'],
  cn: ['han'],
  tw: ['han'],
  chs: ['han'],
  cht: ['han'],
  ru: ['cyrillic'],
  uk: ['cyrillic'],
  ...Object.fromEntries(
    ['en', 'de', 'fr', 'es', 'pt', 'it', 'id', 'vi', 'tr', 'pl', 'nl'].map((code) => [
      code,
      ['latin'] as const,
    ]),
  ),
};

/** Texts that are translated. `_id` after any other word is an id, and no Indonesian. */
const translated = /(?:^|_)(?:name|title|description|desc|text|profile|story|label|quote|summary)$/;

const suffix = /^(.+?)_([a-z]{2,3})(?:_([a-z]{2,4}))?$/;

/** The language in the name of an attribute. */
export interface Language {
  /** The name without the language: `name` of `name_ja`. */
  base: string;
  /** As in the attribute: `ja`, `zh_tw`. */
  code: string;
  scripts: readonly Script[];
}

/** The language of an attribute such as `name_ja` or `name_zh_tw`; undefined if its name ends with none that is known here. */
export function languageOf(attribute: string): Language | undefined {
  const [, base = '', first = '', second] = suffix.exec(attribute) ?? [];
  const scripts = OF_LANGUAGE[first];
  // A script at the end, as in `ja_latn`, is that of a transcription: it may mix both.
  if (base === '' || scripts === undefined || second === 'latn') return undefined;
  if (first === 'id' && second === undefined && !translated.test(base)) return undefined;
  return { base, code: second === undefined ? first : `${first}_${second}`, scripts };
}

/** Whether a text is written in one of the scripts; undefined if it has no letters, such as a number. */
export function isWrittenIn(text: string, scripts: readonly Script[]): boolean | undefined {
  let other = false;
  for (const [script, pattern] of SCRIPTS) {
    if (!pattern.test(text)) continue;
    // Foreign letters inside a text are usual in Latin ones only: "W" in a Japanese text, but no kana in a German one.
    if (scripts.includes(script)) return !scripts.includes('latin') || !hasEastAsian(text);
    other = true;
  }
  return other ? false : undefined;
}

const eastAsian = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Hangul}]/u;

function hasEastAsian(text: string): boolean {
  return eastAsian.test(text);
}

/** The codes that texts of games have, the usual ones first; then those of ISO 639-1. */
export const LANGUAGE_CODES: readonly string[] = [
  'en ja ko zh de fr es pt it ru th vi id tr pl nl uk ar ms jp kr cn tw chs cht eng jpn kor zho chi deu fra spa por ita rus tha vie ind fil yue',
  'aa ab ae af ak am an as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da dv dz ee el eo et eu fa ff fi fj fo fy ga gd gl gn gu',
  'gv ha he hi ho hr ht hu hy hz ia ie ig ii ik io is iu jv ka kg ki kj kk kl km kn ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr mt',
  'my na nb nd ne ng nn no nr nv ny oc oj om or os pa pi ps qu rm rn ro rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg ti tk tl tn',
  'to ts tt ty ug ur uz ve vo wa wo xh yi yo za zu',
].flatMap((codes) => codes.split(' '));
