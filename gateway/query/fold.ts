/** Characters that fold by case and katakana only, independent of their neighbors: ASCII, kana, Chinese characters, hangul syllables. */
const PLAIN = /^[\0-\x7f\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*$/;
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
const AMPERSAND = / *& */g;
const VARIATIONS = /[\ufe0e\ufe0f]/g;
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_TO_HIRAGANA = 0x60;

/**
 * Folds a text for name search: NFKC (full = half width), case, accents of Latin, Greek and Cyrillic letters, katakana to
 * hiragana, `&` to `and`, and the selectors of emoji variants. Voiced kana stay what they are: ガ folds to が, not to か.
 */
export function foldText(text: string): string {
  const folded = PLAIN.test(text) ? text.toLowerCase() : foldLetters(text);
  const spelled = folded.includes('&') ? folded.replace(AMPERSAND, ' and ') : folded;
  return spelled.replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA));
}

/** Folds everything except katakana. */
function foldLetters(text: string): string {
  return (
    text
      .normalize('NFKC')
      .replace(VARIATIONS, '')
      // To upper case and back is full case folding, as for ß. The final sigma is another form of the same letter.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFD')
      .replace(ACCENTED, '$1')
      .normalize('NFC')
  );
}

/** Folds one or more texts; much faster than one at a time. A line feed in a text becomes a space. */
export function foldTexts(texts: readonly string[]): string[] {
  // Folding makes no line feeds, and no character folds differently beside one.
  return foldText(texts.map((text) => text.replaceAll('\n', ' ')).join('\n')).split('\n');
}

const SYLLABLES = /[\uac00-\ud7a3]/g;
const FIRST_SYLLABLE = 0xac00;
const SYLLABLES_AN_INITIAL = 588;
const FIRST_INITIAL = 0x1100;
const LAST_INITIAL = 0x1112;
const INITIAL = /[\u1100-\u1112]/;

/**
 * Replaces every hangul syllable of a folded text by its initial consonant (U+1100…U+1112, to which NFKC also maps ㄱ…ㅎ). The length
 * stays the same. Source: The Unicode Standard, 3.12, Hangul Syllable Decomposition.
 */
export function toInitials(folded: string): string {
  return folded.replace(SYLLABLES, (syllable) => {
    const initial = Math.floor((syllable.charCodeAt(0) - FIRST_SYLLABLE) / SYLLABLES_AN_INITIAL);
    return String.fromCharCode(FIRST_INITIAL + initial);
  });
}

/** Returns whether a UTF-16 code unit is a single hangul initial consonant. */
export function isInitial(unit: number): boolean {
  return unit >= FIRST_INITIAL && unit <= LAST_INITIAL;
}

/** Returns whether a text contains a single hangul initial consonant. */
function hasInitial(text: string): boolean {
  return INITIAL.test(text);
}

/** What separates words or marks sounds, and what people leave out when they type: spaces, punctuation, symbols, apostrophe-like letters. */
export const SILENT = /[\p{Z}\p{P}\p{S}\u02b9-\u02bf\s]+/gu;

/** Returns a folded text without spaces, punctuation and symbols; the text itself if it has nothing else. */
export function compactText(folded: string): string {
  const compact = folded.replace(SILENT, '');
  return compact === '' ? folded : compact;
}

/** A search word in its compact form. */
export interface Word {
  compact: string;
  initials: string;
  /** Whether it contains a single initial consonant. */
  hasInitials: boolean;
}

/** What a client searches for. */
export interface SearchText {
  /** Each word once. */
  words: readonly Word[];
  /** All words as one, as names are often written without spaces. */
  whole: Word;
  /** The text itself, if it has only symbols and punctuation. */
  symbols?: string;
}

/** Reads a search text; undefined when it is blank. A symbol between spaces is no word: people leave it out. */
export function readSearchText(text: string): SearchText | undefined {
  const folded = foldText(text).trim();
  if (folded === '') return undefined;
  const parts = folded.split(/\s+/u);
  const words = parts.filter((part) => part.replace(SILENT, '') !== '').map(compactText);
  if (words.length === 0)
    return { words: [prepareWord(folded)], whole: prepareWord(folded), symbols: parts.join(' ') };
  return { words: [...new Set(words)].map(prepareWord), whole: prepareWord(words.join('')) };
}

function prepareWord(compact: string): Word {
  return { compact, initials: toInitials(compact), hasInitials: hasInitial(compact) };
}
