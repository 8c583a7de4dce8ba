/**
 * Returns a record as drivers keep it: `<expires>|<value>`, where the first part is empty for a record that does not expire.
 *
 * @param expires ms since 1970
 */
export function encodeRecord(value: string, expires: number | undefined): string {
  return `${expires ?? ''}|${value}`;
}

/** @returns the value; undefined if the record is missing or has expired */
export function decodeRecord(text: string | null | undefined, now: number): string | undefined {
  if (text === undefined || text === null) return undefined;
  const end = text.indexOf('|');
  if (end > 0 && Number(text.slice(0, end)) <= now) return undefined;
  return text.slice(end + 1);
}
