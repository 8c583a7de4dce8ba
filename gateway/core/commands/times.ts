const DAY = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Reads a time: ISO 8601 with a zone, or a date for 00:00 UTC.
 *
 * @returns milliseconds since 1970; undefined also for a day that the month does not have, which Date would move to the next month
 */
export function readTime(text: string): number | undefined {
  const day = DAY.exec(text)?.[1];
  const time = Date.parse(text);
  if (day === undefined || Number.isNaN(time)) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}
