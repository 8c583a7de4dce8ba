// U+FDD0 is a noncharacter (Unicode 23.7), which texts hardly ever contain. A text that contains it gets it back unchanged.
const MARK = '\ufdd0';
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([^\n]))|\ufdd0/g;
const HIDDEN = /\ufdd0([0-9a-f]{4})/g;
const NAMED: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/**
 * Hides escaped characters from a parser that would give them a special meaning: `\n`, `\t`, `\r`, `\u00e9`, `\\`, and a backslash before a
 * character of `literal`. Any other backslash stays a backslash.
 */
export function hideEscapes(text: string, literal: string): string {
  return text.replace(ESCAPE, (written, code: string | undefined, character: string | undefined) => {
    if (code !== undefined) return MARK + code.toLowerCase();
    if (character === undefined) return hide(MARK);
    const named = Object.hasOwn(NAMED, character) ? NAMED[character] : undefined;
    if (named !== undefined) return hide(named);
    return character === '\\' || literal.includes(character) ? hide(character) : written;
  });
}

/** Restores the characters that `hideEscapes` hid. */
export function showEscapes(text: string): string {
  return text.replace(HIDDEN, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function hide(character: string): string {
  return MARK + character.charCodeAt(0).toString(16).padStart(4, '0');
}
