/** How an instant is written: a date, or a date-time with its zone. Not all that is written so is one. */
export const INSTANT =
  '^(\\d{4})-(\\d\\d)-(\\d\\d)(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d))?$';
const instantPattern = new RegExp(INSTANT);

/** An ISO 8601 date or date-time with a zone as UTC (`2026-02-25T11:00:00Z`); undefined when it is neither. */
export function readInstant(text: string): string | undefined {
  const parts = instantPattern.exec(text);
  if (!parts) return undefined;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  const midnight = new Date(Date.UTC(year, month - 1, day));
  const instant = new Date(text);
  // Date rolls the 31st of April over to May; such a day is no day.
  if (midnight.getUTCDate() !== day || Number.isNaN(instant.getTime())) return undefined;
  const utc = instant.toISOString().replace('.000Z', 'Z');
  // An offset can lead out of the years that have four digits.
  return /^\d{4}-/.test(utc) ? utc : undefined;
}
