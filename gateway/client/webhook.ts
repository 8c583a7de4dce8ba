/** An event about what the account follows; /openapi.json describes `data` (GameEvent). */
export interface GameEvent {
  /** The same for every attempt. */
  id: string;
  type: 'game.added' | 'build.released' | 'build.amended' | 'build.withdrawn' | 'alerts.test';
  /** ISO 8601 UTC. */
  timestamp: string;
  data: {
    game: string;
    title: string;
    build: string;
    released_at: string;
    note: string | null;
    reason?: string;
    characters?: Record<
      'added' | 'removed' | 'changed',
      { count: number; first: { id: string; name: string }[] }
    >;
    datasets?: {
      count: number;
      first: { key: string; added: number; gained?: number; removed: number; changed: number }[];
    };
    /** The numbers that changed most, at most 20. */
    largest?: {
      collection: string;
      id?: string;
      name?: string;
      path: string;
      label?: string;
      unit?: string;
      from: number;
      to: number;
    }[];
  };
}

/** A webhook as it was received. */
export interface ReceivedWebhook {
  /** The secret of the webhook: `whsec_…`. */
  secret: string;
  /** The header fields, by lower-case name or as `Headers`. */
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The body exactly as it was received. */
  body: string;
  /** ms since 1970; the current time by default. */
  now?: number;
}

const MAX_AGE_SECONDS = 300;

/**
 * Verifies a webhook in the form of Standard Webhooks, and returns its event. An event may arrive twice, with the same id.
 *
 * @throws Error if the signature or the time is wrong
 */
export async function verifyWebhook({
  secret,
  headers,
  body,
  now = Date.now(),
}: ReceivedWebhook): Promise<GameEvent> {
  const read = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const timestamp = read('webhook-timestamp');
  if (timestamp === '' || !(Math.abs(now / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS)) {
    throw new Error('the time of the webhook is wrong');
  }
  const secretBytes = decode(secret.replace(/^whsec_/, ''));
  if (!secretBytes?.length)
    throw new Error('the secret is not that of a webhook, expected whsec_ and base 64');
  const { subtle } = crypto;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', secretBytes, hmac, false, ['verify']);
  const signed = new TextEncoder().encode(`${read('webhook-id')}.${timestamp}.${body}`);
  for (const signature of read('webhook-signature').split(' ')) {
    const bytes = signature.startsWith('v1,') ? decode(signature.slice(3)) : undefined;
    if (bytes && (await subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(body);
  }
  throw new Error('the signature of the webhook is wrong');
}

/** Decodes base 64. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}
