/** Whether a text is written the way that the number prints. */
export function printsAsNumber(text: string): boolean {
  const value = Number(text);
  return String(value) === text && Number.isFinite(value) && !isUnsafeInteger(text);
}

/** Whether a text is an integer that a JavaScript number cannot hold exactly. */
export function isUnsafeInteger(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}
