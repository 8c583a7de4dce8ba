const DAY = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
const DURATION = /^(\d{1,5})(s|m|h|d)$/;
const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

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

/**
 * Reads a duration such as `90s`, `30m`, `24h` or `7d`.
 *
 * @returns milliseconds; undefined if it is not a duration
 */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] as number);
}
