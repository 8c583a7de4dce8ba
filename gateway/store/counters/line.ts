/** A change of one account's counters. */
export type CounterChange =
  /** Counts a request, unless one of these caps is reached. */
  | readonly ['count', account: string, minute: number, day: number]
  /** Removes the request that was counted at this time, ms since 1970. */
  | readonly ['uncount', account: string, time: number]
  /** Counts the requests of these counters, which `writeCounters` returned, whatever the caps. */
  | readonly ['merge', account: string, counters: string]
  | readonly ['forget', account: string]
  /** Replaces the counters by those that `writeCounters` returned. */
  | readonly ['set', account: string, counters: string];

/** A line of the log. */
export interface CounterLine {
  /** The time of its changes, ms since 1970. */
  at: number;
  changes: readonly CounterChange[];
}

/** The types of the values that follow a change's kind. */
const FORMS: Record<string, string> = {
  count: 'string number number',
  uncount: 'string number',
  merge: 'string string',
  forget: 'string',
  set: 'string string',
};

/**
 * Returns the text of a line: a JSON array of its time, its name and its changes. When a write fails, a part of a line may remain, and the
 * next line directly follows it. Both together are never valid JSON: either the first array stays open, or one of its strings ends just
 * before the next line's name.
 *
 * @param name unique in the log; begins with a letter or a digit
 */
export function formatLine({ at, changes }: CounterLine, name: string): string {
  return JSON.stringify([at, name, ...changes]);
}

/**
 * Parses a line.
 *
 * @returns undefined for a line that was not written whole
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
