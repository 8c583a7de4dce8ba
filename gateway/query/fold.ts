const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_TO_HIRAGANA = 0x60;

/**
 * Folds a text for name search: NFKC (full = half width), case, accents of Latin, Greek and Cyrillic letters, katakana to
 * hiragana. Voiced kana stay what they are: ガ folds to が, not to か.
 */
export function foldText(text: string): string {
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
      .replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA))
  );
}

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const SYLLABLES_AN_INITIAL = 588;
const FIRST_INITIAL = 0x1100;
const LAST_INITIAL = 0x1112;

/**
 * A folded text with every hangul syllable replaced by its initial consonant (U+1100…U+1112, to which NFKC brings ㄱ…ㅎ too);
 * all else stays. Same length as the text. Source: The Unicode Standard, 3.12, Hangul Syllable Decomposition.
 */
export function toInitials(folded: string): string {
  let initials = '';
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at);
    const isSyllable = unit >= FIRST_SYLLABLE && unit <= LAST_SYLLABLE;
    initials += isSyllable
      ? String.fromCharCode(FIRST_INITIAL + Math.floor((unit - FIRST_SYLLABLE) / SYLLABLES_AN_INITIAL))
      : folded[at];
  }
  return initials;
}

/** Whether a UTF-16 code unit is a hangul initial consonant standing alone. */
export function isInitial(unit: number): boolean {
  return unit >= FIRST_INITIAL && unit <= LAST_INITIAL;
}
