/** Characters of which only case and katakana fold, whatever stands beside them: ASCII, kana, Chinese characters, hangul syllables. */
const PLAIN = /^[\0-\x7f\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*$/;
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_TO_HIRAGANA = 0x60;

/**
 * Folds a text for name search: NFKC (full = half width), case, accents of Latin, Greek and Cyrillic letters, katakana to
 * hiragana. Voiced kana stay what they are: ガ folds to が, not to か.
 */
export function foldText(text: string): string {
  const folded = PLAIN.test(text) ? text.toLowerCase() : foldLetters(text);
  return folded.replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA));
}

/** Folds all but katakana. */
function foldLetters(text: string): string {
  return (
    text
      .normalize('NFKC')
      // To upper and back: full case folding for ß and the like. The final sigma is one more form of the same letter.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFD')
      .replace(ACCENTED, '$1')
      .normalize('NFC')
  );
}

/** Folds texts, one at least; much faster than one by one. A line feed in them becomes a space. */
export function foldTexts(texts: readonly string[]): string[] {
  // No character becomes a line feed, or changes because of one beside it.
  return foldText(texts.map((text) => text.replaceAll('\n', ' ')).join('\n')).split('\n');
}

const SYLLABLES = /[\uac00-\ud7a3]/g;
const FIRST_SYLLABLE = 0xac00;
const SYLLABLES_AN_INITIAL = 588;
const FIRST_INITIAL = 0x1100;
const LAST_INITIAL = 0x1112;
const INITIAL = /[\u1100-\u1112]/;

/**
 * A folded text with every hangul syllable replaced by its initial consonant (U+1100…U+1112, to which NFKC brings ㄱ…ㅎ too);
 * all else stays. Same length as the text. Source: The Unicode Standard, 3.12, Hangul Syllable Decomposition.
 */
export function toInitials(folded: string): string {
  return folded.replace(SYLLABLES, (syllable) => {
    const initial = Math.floor((syllable.charCodeAt(0) - FIRST_SYLLABLE) / SYLLABLES_AN_INITIAL);
    return String.fromCharCode(FIRST_INITIAL + initial);
  });
}

/** Whether a UTF-16 code unit is a hangul initial consonant standing alone. */
export function isInitial(unit: number): boolean {
  return unit >= FIRST_INITIAL && unit <= LAST_INITIAL;
}

/** Whether a hangul initial consonant stands alone in a text. */
export function hasInitial(text: string): boolean {
  return INITIAL.test(text);
}
