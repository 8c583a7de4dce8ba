import { type CounterChange, isChange } from './change.ts';

/** What the log tells at a time. */
export interface CounterLine {
  /** Milliseconds since 1970. */
  at: number;
  changes: readonly CounterChange[];
}

/**
 * A line as the log has it: a JSON array of its time, its name and its changes. To what remains of a line whose write failed the next
 * one is glued. Together they are no JSON, wherever the first was torn: an array stays open, or a string ends at the quote that the
 * next one's name begins with, which a letter or a digit follows.
 *
 * @param name of this line alone; begins with a letter or a digit
 */
export function formatLine({ at, changes }: CounterLine, name: string): string {
  return JSON.stringify([at, name, ...changes]);
}

/**
 * Reads a line of the log.
 *
 * @returns undefined where it is none that was written whole
 */
export function parseLine(bytes: Buffer): CounterLine | undefined {
  const line = parseJson(bytes.toString());
  if (!Array.isArray(line)) return undefined;
  const [at, name, ...changes] = line as unknown[];
  const isLine = typeof at === 'number' && typeof name === 'string' && changes.every(isChange);
  return isLine ? { at, changes } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
