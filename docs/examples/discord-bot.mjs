import { createHmac, timingSafeEqual } from 'node:crypto';

// The core of a Discord bot: functions that return the body of a message, to send with the Discord library of your choice.
const MAX_TEXT = 1000; // A field of an embed has at most 1024 characters.
const MAX_WAIT_SECONDS = 2; // Discord waits 3 seconds for a first reply.
const MAX_AGE_SECONDS = 300;

const message = (content, embeds) => ({ content, embeds, allowed_mentions: { parse: [] } });
const plain = (text) => String(text).replace(/[\\*_~`|>@#[\]()]/g, '\\$&');

/** Requests an address below /api/; tries once more where the gateway says to wait for a moment. */
async function get({ gateway, key }, path, parameters, retries = 1) {
  const url = new URL(`/api/${path}?${new URLSearchParams(parameters)}`, gateway);
  const response = await fetch(url, { headers: { 'X-API-Key': key }, signal: AbortSignal.timeout(10_000) });
  if (response.ok) return await response.json();
  const { code, detail } = await response.json().catch(() => ({ detail: `HTTP status ${response.status}` }));
  const seconds = Number(response.headers.get('Retry-After'));
  if (seconds > 0 && seconds <= MAX_WAIT_SECONDS && retries > 0) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return get({ gateway, key }, path, parameters, retries - 1);
  }
  throw new Error(code === 'quota-exceeded' ? `Too many requests, try again in ${seconds} seconds` : detail);
}

/** A request that fails becomes a message too, so that people see why there is no result. */
const orProblem = (make) => make().catch((error) => message(`Sorry: ${plain(error.message)}`));

/** `/search name`: the characters whose name in any language contains the text. */
export function searchMessage(api, game, text) {
  return orProblem(async () => {
    const parameters = { q: text, limit: 10, fields: 'name,rarity' };
    const { total, build, characters } = await get(api, `${encodeURIComponent(game)}/characters`, parameters);
    const lines = characters.map(({ id, name, rarity }) => `${plain(name)} · rarity ${rarity} · \`${id}\``);
    const description = lines.join('\n') || `No character is called “${plain(text)}”.`;
    return message('', [{ title: `${total} found`, description, footer: { text: `build ${build}` } }]);
  });
}

/** `/compare a b`: the stats of up to six characters, by id. */
export function compareMessage(api, game, ids) {
  return orProblem(async () => {
    const path = `${encodeURIComponent(game)}/compare`;
    const { build, characters } = await get(api, path, { ids: ids.join() });
    const fields = characters.map(({ name, stats = {} }) => {
      const lines = Object.entries(stats).map(([stat, value]) => `${plain(stat)}: **${value}**`);
      return { name: plain(name), value: lines.join('\n').slice(0, MAX_TEXT) || 'no stats', inline: true };
    });
    return message('', [{ title: 'Comparison', fields, footer: { text: `build ${build}` } }]);
  });
}

/** Verifies a webhook and returns its event. `body` is the raw text. An event may arrive twice, with the same `webhook-id`. */
export function verifyWebhook(secret, headers, body, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(now / 1000 - timestamp) <= MAX_AGE_SECONDS))
    throw new Error('the time of the webhook is wrong');
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isRight = (sent) => sent.length === signature.length && timingSafeEqual(sent, signature);
  const sent = signatures.split(' ').filter((text) => text.startsWith('v1,'));
  if (sent.some((text) => isRight(Buffer.from(text.slice(3), 'base64')))) return JSON.parse(body);
  throw new Error('the signature of the webhook is wrong');
}

/** The message that announces an event: what a build added, removed and changed. */
export function eventMessage({ type, data }) {
  const title = `**${plain(data.title)}** (build ${plain(data.build)})`;
  if (type === 'build.amended') return message(`${title} was corrected: ${plain(data.reason)}`);
  const counts = Object.entries(data.characters).map(([kind, { count }]) => `${count} ${kind}`);
  return message(`${title} is ${type === 'game.added' ? 'new' : 'out'}. Characters: ${counts.join(', ')}.`);
}
