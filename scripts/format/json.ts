export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/**
 * Compares in natural order: runs of digits as numbers, everything else by UTF-16 code unit (`unit-2` before `unit-10`). The order is total: the
 * result is 0 only for equal texts.
 */
export function compareNatural(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a.charCodeAt(i)) && isDigit(b.charCodeAt(j))) {
      const [startA, endA] = digitRun(a, i);
      const [startB, endB] = digitRun(b, j);
      const byLength = endA - startA - (endB - startB);
      if (byLength !== 0) return byLength;
      for (let k = 0; k < endA - startA; k++) {
        const byDigit = a.charCodeAt(startA + k) - b.charCodeAt(startB + k);
        if (byDigit !== 0) return byDigit;
      }
      i = endA;
      j = endB;
    } else {
      const byUnit = a.charCodeAt(i++) - b.charCodeAt(j++);
      if (byUnit !== 0) return byUnit;
    }
  }
  return a.length - i - (b.length - j) || (a < b ? -1 : a > b ? 1 : 0);
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Returns the start and end of the run of digits at `from`, without leading zeros. */
function digitRun(text: string, from: number): [number, number] {
  let start = from;
  while (text.charCodeAt(start) === 0x30 && isDigit(text.charCodeAt(start + 1))) start++;
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return [start, end];
}

/** Appends steps to a JSON Pointer. */
export function pointerTo(pointer: string, ...steps: (string | number)[]): string {
  return (
    pointer + steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  );
}

/** Splits a JSON Pointer into its unescaped steps. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Sets a property of an object. An assignment to `__proto__` would set the prototype. */
export function setOwn(object: JsonObject, name: string, value: Json): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}
