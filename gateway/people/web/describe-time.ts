/**
 * Formats a time for a text.
 *
 * @param time ISO 8601 UTC
 */
export function describeTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
