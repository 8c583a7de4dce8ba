/** What is left of a cap. */
export interface Remaining {
  /** `minute` or `day`. */
  policy: string;
  /** The requests that are left. */
  left: number;
  /** The requests of the whole window; undefined if the response does not say. */
  of: number | undefined;
  /** After how many seconds more requests are possible. */
  seconds: number;
}

/**
 * Reads what the account has left from the RateLimit header fields of a response. The caps of a browser key are not among it.
 *
 * @param limit `"minute";r=9;t=60, "day";r=199;t=40211`; null if the response has none, as for Pro keys
 * @param policy `"minute";q=10;w=60, "day";q=200;w=86400`
 */
export function readRateLimit(limit: string | null, policy: string | null): Remaining[] {
  const quotas = new Map(readItems(policy).map(({ name, members }) => [name, members.get('q')]));
  return readItems(limit).flatMap(({ name, members }) => {
    const left = members.get('r');
    if (left === undefined) return [];
    return [{ policy: name, left, of: quotas.get(name), seconds: members.get('t') ?? 0 }];
  });
}

/** Reads the items of a list of strings with whole numbers as parameters (RFC 9651). */
function readItems(text: string | null): { name: string; members: Map<string, number> }[] {
  const items = (text ?? '').matchAll(/"([a-z]+)"((?:\s*;\s*[a-z]+=\d+)*)/g);
  return [...items].map(([, name = '', rest = '']) => {
    const members = [...rest.matchAll(/([a-z]+)=(\d+)/g)];
    return { name, members: new Map(members.map(([, key = '', value]) => [key, Number(value)])) };
  });
}

/** A search waits this long after a key is pressed, ms. */
const DELAY_MS = 250;
const CAPPED_DELAY_MS = 700;
/** With fewer requests left, typing sends none. */
const SAVED = 3;

/**
 * Returns how long a search waits for further typing, in ms; undefined if it waits for Enter, because few requests are left.
 *
 * @param remaining empty for a key without caps
 */
export function searchDelay(remaining: readonly Remaining[]): number | undefined {
  if (remaining.length === 0) return DELAY_MS;
  return remaining.every(({ left }) => left > SAVED) ? CAPPED_DELAY_MS : undefined;
}
