const LANGUAGES = new Set(
  'ja jp ko kr zh cn tw chs cht ru uk en de fr es pt it id vi th tr pl nl'.split(' '),
);
/** Attributes whose texts are translated. `_id` after any other word is an id, not Indonesian. */
const translated = /(?:^|[._])(?:name|title|description|desc|text|profile|story|label|quote|summary)$/;
const suffix = /^(.+?)_([a-z]{2,3})(?:_([a-z]{2,4}))?$/;

/** Returns a key such as `name_ja` or `skills.text_zh_tw` without its language; any other key unchanged. */
export function withoutLanguage(key: string): string {
  const [, base = '', first = '', second] = suffix.exec(key) ?? [];
  const isId = first === 'id' && second === undefined && !translated.test(base);
  // A script at the end, as in `ja_latn`, marks a transcription.
  return base !== '' && LANGUAGES.has(first) && second !== 'latn' && !isId ? base : key;
}

/** Whether an attribute is the name of its record in some language. */
export const isName = (key: string) => /^name(?:_[^.]+)?$/.test(key);

const shownName = /^(?:name|title)(?:_|$)|_(?:name|title)(?:_[a-z]{2,3})?$/;
const internalName = /(?:code|asset|file|icon|internal|key|resource|model|bundle|image|class)_?name/;

/** Whether the texts of an attribute are names that people read, judged by the attribute's name. */
export const isShownName = (name: string) => shownName.test(name) && !internalName.test(name);

export const isWord = (value: unknown) => typeof value === 'string' && /\p{L}/u.test(value);
// Japanese mixes its scripts with that of Chinese.
const SCRIPTS = [
  /\p{Script=Latin}/gu,
  /\p{Script=Hangul}/gu,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
];
/** The script of most letters of a text, as a number; -1 if it is another one. */
export function scriptOf(value: unknown): number {
  const letters = String(value).replace(/\P{L}/gu, '');
  return SCRIPTS.findIndex((script) => letters.replace(script, '').length < letters.length / 2);
}

/** A fault of a text that does not depend on its meaning. */
export type TextFault = NonNullable<ReturnType<typeof findTextFault>>;

// Characters that occur if a text was decoded with the wrong encoding; most texts have none and end here.
const suspicious =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00ff\ud800-\uf8ff\ufeff\ufffd-\uffff\u0192\u20ac\u7e3a\u7e67\u7e5d\u9287-\u9289\u951f]|&[#\w]|\?[a-z\xdf-\xff]|^(?:undefined|null|NaN)$|\[object Object\]|^<[^<>]*>$/;
const control =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ue000-\uf8ff\ufeff\ufffe\uffff]|\r(?!\n)/;
const entity = /&(?:amp|lt|gt|quot|apos|nbsp|[a-z]+acute|[a-z]+grave|[a-z]+uml|#\d{2,7}|#x[0-9a-f]{2,6});/i;
const noText = /^(?:undefined|null|NaN)$|\[object Object\]|^<[^<>]*>$/;

/** A byte from 80 to BF, decoded as Windows-1252 or Latin-1. */
const CONTINUATION =
  '[\\u0080-\\u00bf\\u0152\\u0153\\u0160\\u0161\\u0178\\u017d\\u017e\\u0192\\u02c6\\u02dc\\u2013\\u2014\\u2018-\\u201e\\u2020-\\u2022\\u2026\\u2030\\u2039\\u203a\\u20ac\\u2122]';
const mojibake = new RegExp(
  [
    // UTF-8 decoded as Windows-1252 or Latin-1: é as Ã©, С as Ð¡, ア as ã‚¢.
    `[\\u00c2\\u00c3]${CONTINUATION}`,
    `(?:[\\u00c4-\\u00df]${CONTINUATION}){2}`,
    `[\\u00e0-\\u00ef]${CONTINUATION}{2}`,
    `[\\u00f0-\\u00f4]${CONTINUATION}{3}`,
    // Shift JIS decoded as Windows-1252: katakana.
    '(?:\\u0192[^\\s]){2}',
    // UTF-8 decoded as Shift JIS and as GBK: kana; and replacement characters decoded as GBK.
    '[\\u7e3a\\u7e67\\u7e5d].?[\\u7e3a\\u7e67\\u7e5d]',
    '[\\u9287-\\u9289].?[\\u9287-\\u9289]',
    '\\u951f\\u65a4\\u62f7',
    // Words of only Latin-1 letters and signs: a legacy encoding of East Asia, decoded as Latin-1.
    '(?=[\\u00c0-\\u00ff]*[\\u00a1-\\u00bf])[\\u00a1-\\u00ff]{4}',
  ].join('|'),
);
/** A replacement character, half of a surrogate pair, or a question mark inside a word for a letter that an encoding lacks. */
const replaced = /\ufffd|\p{Surrogate}|^(?!https?:).*\p{L}\?\p{Ll}/u;
/** A tag. Names have words in angle brackets too, but with a capital. */
const markup = /<\/?[a-z#][^<>]*>|\[\/?(?:[biu]|color|size)(?:=[^\]]*)?\]/;

/** Spaces at an end, or invisible characters, including those that change the text direction. */
const outerSpaces = /^\s|\s$|[\u200b\u202a-\u202e\u2060\u2066-\u2069]/;
/** Whether a text contains the remains of a tag: one with a mark, or an end without its start. */
function isLeftOfTag(text: string): boolean {
  return (
    /<[@$#][^<> ]*>/.test(text) ||
    [...text.matchAll(/<\/(\w*)>/g)].some(([, name = '']) => !text.includes(`<${name || ' '}`))
  );
}

/** Finds the most specific fault of a text; undefined for nearly all texts. @param isShown whether it is a name that people read */
export function findTextFault(text: string, isShown: boolean) {
  if (suspicious.test(text)) {
    if (replaced.test(text)) return 'replacement';
    if (mojibake.test(text)) return 'mojibake';
    if (control.test(text)) return 'control';
    if (noText.test(text)) return 'unresolved';
    if (entity.test(text)) return 'entity';
  }
  if (!isShown) return text.includes('<') && isLeftOfTag(text) ? 'markup' : undefined;
  if (isUnresolved(text)) return 'unresolved';
  if (/^[^\p{L}\p{N}]*$/u.test(text)) return 'blank';
  if (/[<[]/.test(text) && markup.test(text)) return 'markup';
  return outerSpaces.test(text) ? 'spaces' : undefined;
}

// A key has no spaces and joined words, as Avatar_Miyabi_Name; a template is not filled in, as {NICKNAME} or %NAME%.
const unresolved = [
  /^[#$@]?[A-Za-z0-9.:/-]*[A-Za-z0-9]_[A-Za-z0-9_.:/-]+$/,
  /(?:^|\s)[A-Za-z]+(?:_[A-Za-z0-9]+)*_\d+(?:\s|$)/,
  /^[a-z][A-Za-z0-9]*(?:[.:/][a-z0-9][A-Za-z0-9]*){2,}$/,
  /^(?:\{[^{}]+\}|%[A-Za-z_]+%|\$\{[^}]+\}|<[^<>]+>)$/,
  /\{\{?\w+(?:[:#]\w*)?\}|%[sd](?!\w)|#REF!|\\u[0-9a-f]{4}|#\d+\[/i,
  /^\$[A-Z][A-Z_]+$/,
  // A hash.
  /^-?\d{6,}$|^(?:0x)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}$/i,
  /^(?:tb[ad]|todo|placeholder|coming soon|x{3,}|仮|未定)$/i,
  /^\W?(?:test|debug|dummy)\b\W*[a-z]+[ _-]?\d+(?:\s|$)/i,
  // Unfinished, or an address.
  /[[(（【](?:ph|wip|copy|test|debug|dummy|unreleased|do not use)[\])）】]|^(?:do not use|未実装)/i,
  /%20[A-Za-z]|%[C-E][0-9A-F]%[89AB][0-9A-F]/i,
  // A template that was filled with nothing.
  /\[\s*\]|\(\s*\)|「\s*」|【\s*】/,
  /(?:^|【)(?:test|debug|dummy|テスト|デバッグ|ダミー|测试|測試|테스트)[ _-]?(?:unit|chara(?:cter)?|card|ユニット|キャラ|カード|角色)?[ _-]?\d*(?:$|】)/i,
];

/** Whether a name is a key, a hash, a template or a placeholder: its text was not found in a table of texts. */
export const isUnresolved = (name: string) => unresolved.some((form) => form.test(name));
