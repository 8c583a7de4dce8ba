/** The form of an instant: a date, or a date-time with a time zone. Texts of this form can still be invalid, such as `2026-02-30`. */
export const INSTANT =
  '^(\\d{4})-(\\d\\d)-(\\d\\d)(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d))?$';
const instantPattern = new RegExp(INSTANT);

/** Converts an ISO 8601 date, or date-time with a time zone, to UTC (`2026-02-25T11:00:00Z`); undefined when it is neither. */
export function readInstant(text: string): string | undefined {
  const parts = instantPattern.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number);
  const midnight = new Date(Date.UTC(year, month - 1, day));
  const instant = new Date(text);
  // `Date` turns April 31 into May 1; such a date is invalid.
  if (midnight.getUTCDate() !== day || Number.isNaN(instant.getTime())) return undefined;
  const utc = instant.toISOString().replace('.000Z', 'Z');
  // An offset can lead to a year with more than four digits.
  return /^\d{4}-/.test(utc) ? utc : undefined;
}
