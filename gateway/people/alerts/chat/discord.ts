import type { GameEvent } from '../event.ts';
import { type ChatForm, type ChatMessage, escapeWithin, joinItems, readMembers } from '../message.ts';
import type { Outcome, PostResponse } from '../post.ts';

/** Discord's limits of an embed, in characters: 256 for a title, 1,024 for a field, 25 fields, and 6,000 together. Ours stay below. */
const MAX_TITLE = 256;
const MAX_TEXT = 700;
const MAX_FIELD = 640;
const COLORS: Readonly<Record<GameEvent['type'], number>> = {
  'game.added': 0x2e7d32,
  'build.released': 0x1565c0,
  'build.amended': 0xf9a825,
  'build.withdrawn': 0xc62828,
  'alerts.test': 0x757575,
};
/** What means something in Discord's Markdown, in mentions or in addresses. */
const SPECIAL = /[\\*_~`|<>#[\]()@:+\-=.!&]/;
/** Errors of Discord: the webhook is unknown, or its token is wrong. */
const GONE_CODES: readonly unknown[] = [10_015, 50_027];

/** Discord. https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: ChatForm = {
  label: 'Discord',
  begins: 'https://discord.com/api/webhooks/',
  expected:
    'https://discord.com/api/webhooks/ with a number and a token, which Discord shows in the settings of a channel, under Integrations',
  hosts: ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'],
  path: /^(\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/)[\w-]{1,200}\/?(?:\?|$)/,
  make: (address, event, message) => ({ url: withWait(address), body: render(event, message) }),
  read: readResponse,
};

/** With `wait`, Discord reports a message that it does not keep. */
function withWait(url: string): string {
  const address = new URL(url);
  address.searchParams.set('wait', 'true');
  return address.href;
}

/** Makes the body of a post: one embed. Nothing in it can mention anyone. */
function render({ type, timestamp }: GameEvent, { title, url, seenBy, text, fields }: ChatMessage): string {
  const embed = {
    title: escapeWithin(title, MAX_TITLE, escapeCharacter),
    url,
    ...(text !== '' && { description: escapeWithin(text, MAX_TEXT, escapeCharacter) }),
    color: COLORS[type],
    timestamp,
    fields: fields.map((field) => ({
      name: field.name,
      value: joinItems(field, MAX_FIELD, escapeCharacter),
    })),
    footer: { text: `Game Data Read API${seenBy && `. ${seenBy}`}` },
  };
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
}

function escapeCharacter(character: string): string {
  return SPECIAL.test(character) ? `\\${character}` : character;
}

function readResponse({ status, body }: PostResponse): Outcome | undefined {
  const { code, retry_after } = readMembers(body);
  const detail = `the response had status ${status}`;
  if (status === 400 || status === 413)
    return { kind: 'refused', detail: `Discord refused the message: ${detail}`, status };
  if ((status === 401 || status === 404) && GONE_CODES.includes(code))
    return { kind: 'gone', detail: `${detail}, which means that the webhook was removed at Discord`, status };
  if (status !== 429 || typeof retry_after !== 'number' || !(retry_after > 0)) return undefined;
  return { kind: 'failed', detail, status, retryAfter: Math.ceil(retry_after * 1000) };
}
