import { redactKeys } from '../keys/api-key.ts';

/** How often a path may have been percent-encoded and is still searched for keys. */
const MAX_ROUNDS = 8;

/** Returns the path of a request as it may be logged: keys and tokens are shortened, also if they are percent-encoded. */
export function redactPath(path: string): string {
  if (!path.includes('%')) return redactKeys(path);
  let decoded = path;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const redacted = redactKeys(decoded);
    if (redacted !== decoded) return redacted;
    const next = decodeLetters(decoded);
    if (next === decoded) return path;
    decoded = next;
  }
  return '(percent-encoded too often)';
}

/** Decodes ASCII characters only: keys have no others, and the rest may not be UTF-8. */
function decodeLetters(text: string): string {
  return text.replace(/%([2-7][0-9a-f])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
