/** What is left of a cap. */
export interface Remaining {
  /** The window: `minute` or `day`. */
  policy: string;
  /** What has the cap: the account with all its keys, or this key alone, as a browser key may have. */
  counted: 'account' | 'key';
  /** The requests that are left. */
  left: number;
  /** The requests of the whole window; undefined if the response does not say. */
  of: number | undefined;
  /** After how many seconds more requests are possible. */
  seconds: number;
}

/** The caps of a browser key have names of their own. */
const POLICY = /^(key-)?(minute|day)$/;

/**
 * Reads what is left of the caps of the account and of the key from the RateLimit header fields of a response.
 *
 * @param limit `"minute";r=9;t=60, "day";r=199;t=40211, "key-minute";r=4;t=60`; null if the response has none, as for most Pro keys
 * @param policy `"minute";q=10;w=60, "day";q=200;w=86400, "key-minute";q=5;w=60`
 */
export function readRateLimit(limit: string | null, policy: string | null): Remaining[] {
  const quotas = new Map(readItems(policy).map(({ name, members }) => [name, members.get('q')]));
  return readItems(limit).flatMap(({ name, members }) => {
    const left = members.get('r');
    const [, ofKey, policy] = POLICY.exec(name) ?? [];
    if (left === undefined || policy === undefined) return [];
    const counted = ofKey === undefined ? 'account' : 'key';
    return [{ policy, counted, left, of: quotas.get(name), seconds: members.get('t') ?? 0 }];
  });
}

/** Returns whether the account has caps, as free ones have. */
export function hasAccountCaps(remaining: readonly Remaining[]): boolean {
  return remaining.some(({ counted }) => counted === 'account');
}

/** Names a cap: `this minute`, or `this minute with this key`. */
export function describeCap({ policy, counted }: Remaining): string {
  return counted === 'account' ? `this ${policy}` : `this ${policy} with this key`;
}

/** Writes what is left of the caps: `7 of 10 requests left this minute, 190 of 200 this day`; empty without caps. */
export function describeRemaining(remaining: readonly Remaining[]): string {
  return remaining
    .map((cap, at) => {
      const all = cap.of === undefined ? '' : ` of ${cap.of}`;
      return `${cap.left}${all}${at === 0 ? ' requests left' : ''} ${describeCap(cap)}`;
    })
    .join(', ');
}

/** Reads the items of a list of strings with whole numbers as parameters (RFC 9651). */
function readItems(text: string | null): { name: string; members: Map<string, number> }[] {
  const items = (text ?? '').matchAll(/"([a-z-]+)"((?:\s*;\s*[a-z]+=\d+)*)/g);
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
