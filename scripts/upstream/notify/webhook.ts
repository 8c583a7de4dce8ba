import { readVersion } from '../../lib/version.ts';
import { signWebhook } from '../../notices/webhook-signature.ts';
import type { NoticeEvent } from './notice.ts';

const MAX_POST_MS = 15_000;
const USER_AGENT = `game-data-read-api/${readVersion()}`;

/**
 * Posts a notice, signed as Standard Webhooks says. A redirect is not followed.
 *
 * @param now ms since 1970
 * @throws Error if it was not delivered
 */
export async function postNotice(
  { url, secret }: { url: string; secret: string },
  event: NoticeEvent,
  now: number,
): Promise<void> {
  const body = JSON.stringify(event);
  await post(url, body, signWebhook([secret], event.id, body, now));
}

/** Posts a JSON text. A redirect is not followed. @throws Error if it was not delivered */
export async function post(url: string, body: string, more: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT, ...more },
    signal: AbortSignal.timeout(MAX_POST_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the response had status ${response.status}`);
}
