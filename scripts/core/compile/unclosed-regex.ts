/** JSONata's code for a regex without an end. */
export const UNCLOSED_REGEX = 'S0302';

/** What is wrong with such a regex: nearly always a bracket. JSONata counts brackets to find the end, also inside `[…]`. */
export const UNCLOSED_REGEX_MESSAGE =
  'a regular expression without an end: a bracket in it has no partner. Write a backslash before it, also inside [ ], as in /\\{[^\\}]*\\}/';

/** A slash where a regex can begin: after an opening bracket, a comma, or an operator. */
const STARTS = /[([{,=~>?:;]\s*\/(?![*/])/g;

/** Finds where the regex without an end begins in the text of an expression; undefined if that cannot be found. */
export function findUnclosedRegex(text: string): number | undefined {
  for (const match of text.matchAll(STARTS)) {
    const start = match.index + match[0].length;
    if (!isClosed(text, start)) return start;
  }
  return undefined;
}

/** Looks for the end of a regex as JSONata does. */
function isClosed(text: string, start: number): boolean {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    else if (character === '/' && depth === 0) return true;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
  }
  return false;
}
