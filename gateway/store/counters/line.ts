/** A change of one account's counters. */
export type CounterChange =
  /** Counts a request, unless one of these caps is reached. */
  | readonly ['count', account: string, minute: number, day: number]
  /** Takes back a request that was counted at a time, ms since 1970. */
  | readonly ['uncount', account: string, time: number]
  | readonly ['forget', account: string]
  /** Sets what was used, as `writeCounters` describes it, whatever was known before. */
  | readonly ['set', account: string, counters: string];

/** What a line of the log holds. */
export interface CounterLine {
  /** When its changes were made, ms since 1970. */
  at: number;
  changes: readonly CounterChange[];
}

/** The types of what follows a change's kind. */
const FORMS: Record<string, string> = {
  count: 'string number number',
  uncount: 'string number',
  forget: 'string',
  set: 'string string',
};

/**
 * Writes a line: a JSON array of its time, its name and its changes. When a write fails, a part of a line may remain, and the next line
 * follows it directly. Both together are never JSON: the first array stays open, or a string of it ends in front of the next line's name.
 *
 * @param name of this line alone; begins with a letter or a digit
 */
export function formatLine({ at, changes }: CounterLine, name: string): string {
  return JSON.stringify([at, name, ...changes]);
}

/**
 * Reads a line.
 *
 * @returns undefined for anything that was not written whole
 */
export function parseLine(text: string): CounterLine | undefined {
  const line = parseJson(text);
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

function isChange(part: unknown): part is CounterChange {
  if (!Array.isArray(part)) return false;
  const [kind, ...details] = part as [string, ...unknown[]];
  return FORMS[kind] === details.map((detail) => typeof detail).join(' ');
}
