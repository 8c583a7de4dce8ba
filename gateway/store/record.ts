/**
 * A record as drivers keep it: when it expires, or nothing, and its value.
 *
 * @param expires ms since 1970
 */
export function encodeRecord(value: string, expires: number | undefined): string {
  return `${expires ?? ''}|${value}`;
}

/** @returns its value; undefined where there is no such record, or it has expired */
export function decodeRecord(text: string | null | undefined, now: number): string | undefined {
  if (text === undefined || text === null) return undefined;
  const end = text.indexOf('|');
  if (end > 0 && Number(text.slice(0, end)) <= now) return undefined;
  return text.slice(end + 1);
}
