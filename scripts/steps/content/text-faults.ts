/** What is wrong with a text, whatever it means. */
export type TextFault = 'replacement' | 'control' | 'mojibake' | 'entity' | 'markup' | 'unresolved';

// Characters that show that a text was decoded with another encoding than its own; most texts end here.
const suspicious =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00ff\ufeff\ufffd\u0192\u20ac\u7e3a\u7e67\u7e5d\u9287\u9288\u9289\u951f]|&[#\w]|^(?:undefined|null|NaN)$|\[object Object\]|^<[^<>]*>$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]|\r(?!\n)/;
const entity = /&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,7}|#x[0-9a-f]{2,6});/i;
const noText = /^(?:undefined|null|NaN)$|\[object Object\]/;

/** A byte from 80 to BF, as Windows-1252 or Latin-1 shows it. */
const CONTINUATION =
  '[\\u0080-\\u00bf\\u0152\\u0153\\u0160\\u0161\\u0178\\u017d\\u017e\\u0192\\u02c6\\u02dc\\u2013\\u2014\\u2018-\\u201e\\u2020-\\u2022\\u2026\\u2030\\u2039\\u203a\\u20ac\\u2122]';
const mojibake = new RegExp(
  [
    // UTF-8 read as Windows-1252 or Latin-1: é as Ã©, С as Ð¡, ア as ã‚¢.
    `[\\u00c2\\u00c3]${CONTINUATION}`,
    `(?:[\\u00c4-\\u00df]${CONTINUATION}){2}`,
    `[\\u00e0-\\u00ef]${CONTINUATION}{2}`,
    `[\\u00f0-\\u00f4]${CONTINUATION}{3}`,
    // Shift JIS read as Windows-1252: katakana.
    '(?:\\u0192[^\\s]){2}',
    // UTF-8 read as Shift JIS and as GBK: kana; and replacement characters read as GBK.
    '[\\u7e3a\\u7e67\\u7e5d].?[\\u7e3a\\u7e67\\u7e5d]',
    '[\\u9287\\u9288\\u9289].?[\\u9287\\u9288\\u9289]',
    '\\u951f\\u65a4\\u62f7',
  ].join('|'),
);
/** Words of Latin-1 letters and signs alone: a legacy encoding of East Asia, read as Latin-1. */
const highLatin = /(?=[\u00c0-\u00ff]*[\u00a1-\u00bf])[\u00a1-\u00ff]{4}/;

/** Finds the most telling fault of a text; undefined for nearly all texts. */
export function findTextFault(text: string): TextFault | undefined {
  if (!suspicious.test(text)) return undefined;
  if (text.includes('\ufffd')) return 'replacement';
  if (mojibake.test(text) || highLatin.test(text)) return 'mojibake';
  if (control.test(text)) return 'control';
  if (noText.test(text) || /^<[^<>]*>$/.test(text)) return 'unresolved';
  return entity.test(text) ? 'entity' : undefined;
}

// A key has no spaces and joins its words, as Avatar_Miyabi_Name; a template is not filled in, as {NICKNAME} or %NAME%.
const joinedKey = /^[#$@]?[A-Za-z0-9.:/-]*[A-Za-z0-9]_[A-Za-z0-9_.:/-]+$/;
const dottedKey = /^[a-z][A-Za-z0-9]*(?:[.:/][a-z0-9][A-Za-z0-9]*){2,}$/;
const template = /^(?:\{[^{}]+\}|%[A-Za-z_]+%|\$\{[^}]+\}|<[^<>]+>)$/;
const hash = /^-?\d{6,}$|^(?:0x)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}$/i;

const placeholder = /^(?:tb[ad]|todo|dummy[ _-]?\d*|placeholder|coming soon|x{3,}|ダミー\d*|仮|未定)$/i;
const markup = /<\/?[a-z][^<>]*>/i;

/** Whether a name has tags, as those of colors. */
export function hasMarkup(name: string): boolean {
  return name.includes('<') && markup.test(name);
}

/** Whether a name is a key, a hash or a template instead of a text: it was not found in a table of texts. */
export function isUnresolved(name: string): boolean {
  return (
    joinedKey.test(name) ||
    dottedKey.test(name) ||
    template.test(name) ||
    hash.test(name) ||
    placeholder.test(name)
  );
}
