/** Characters whose folding changes only case and katakana, independently of their neighbours: ASCII, kana, Chinese characters, hangul syllables. */
const PLAIN = /^[\0-\x7f\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*$/;
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_TO_HIRAGANA = 0x60;

/**
 * Folds a text for name search: NFKC (full width = half width), case, accents of Latin, Greek and Cyrillic letters, katakana to hiragana, `&` to
 * `and`, and the variation selectors of emoji. Voiced kana keep their marks: ガ folds to が, not to か.
 */
export function foldText(text: string): string {
  const folded = PLAIN.test(text) ? text.toLowerCase() : foldLetters(text);
  const spelled = folded.includes('&') ? folded.replace(/ *& */g, ' and ') : folded;
  return spelled.replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA));
}

function foldLetters(text: string): string {
  return (
    text
      .normalize('NFKC')
      .replace(/[\ufe0e\ufe0f]/g, '')
      // Upper case and back is full case folding, as for ß. The final sigma is a form of the same letter.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFD')
      .replace(ACCENTED, '$1')
      .normalize('NFC')
  );
}

/** Folds several texts; much faster than one at a time. A line feed in a text becomes a space. */
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
 * Replaces every hangul syllable of a folded text by its initial consonant (U+1100…U+1112, to which NFKC also maps ㄱ…ㅎ). The length stays the same.
 * Source: The Unicode Standard, 3.12, Hangul Syllable Decomposition.
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

/** What separates words or marks sounds, and people omit when they type: spaces, punctuation, symbols, apostrophe-like letters. */
export const SILENT = /[\p{Z}\p{P}\p{S}\u02b9-\u02bf\s]+/gu;

/** Removes spaces, punctuation and symbols from a folded text, unless it has nothing else. */
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

/** A parsed search text. */
export interface SearchText {
  /** Without repeats. */
  words: readonly Word[];
  /** All words joined, because names are often written without spaces. */
  whole: Word;
  /** The text itself if it consists only of symbols and punctuation. */
  symbols?: string;
}

/** Reads a search text; undefined if it is blank. A symbol between spaces is not a word: people omit it. */
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
  return { compact, initials: toInitials(compact), hasInitials: INITIAL.test(compact) };
}
