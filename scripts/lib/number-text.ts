/** Returns whether a text is a number as JavaScript prints it. */
export function printsAsNumber(text: string): boolean {
  const value = Number(text);
  return String(value) === text && Number.isFinite(value) && !isUnsafeInteger(text);
}

/** Returns whether a text is an integer that a JavaScript number cannot hold exactly. */
export function isUnsafeInteger(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}
