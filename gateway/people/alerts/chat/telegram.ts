import { type ChatForm, type ChatMessage, escapeWithin, joinItems, readMembers } from '../message.ts';
import type { Outcome, PostResponse } from '../post.ts';

/** Telegram takes 4,096 characters. With at most seven fields ours stay below. */
const MAX_TITLE = 250;
const MAX_TEXT = 500;
const MAX_FIELD = 360;
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Telegram. https://core.telegram.org/bots/api#sendmessage */
export const telegram: ChatForm = {
  label: 'Telegram',
  begins: 'https://api.telegram.org/bot',
  expected:
    'https://api.telegram.org/bot…/sendMessage?chat_id=… with the token of a bot and the id of a chat that it is in',
  hosts: ['api.telegram.org'],
  path: /^(\/bot\d{1,20}:)[\w-]{20,80}\/sendMessage\?(?:.*&)?chat_id=(?:-?\d{1,20}|(?:@|%40)\w{3,64})(?:&|$)/,
  make(address, _, message) {
    const url = new URL(address);
    // The chat, and the topic in it if there is one.
    const to = Object.fromEntries(url.searchParams);
    url.search = '';
    const options = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } };
    return { url: url.href, body: JSON.stringify({ ...to, text: render(message), ...options }) };
  },
  read: readResponse,
};

function render({ title, url, seenBy, text, fields }: ChatMessage): string {
  const parts = [
    `<b>${escapeWithin(title, MAX_TITLE, escapeCharacter)}</b>`,
    ...(text === '' ? [] : [escapeWithin(text, MAX_TEXT, escapeCharacter)]),
    ...fields.map((field) => `<b>${field.name}</b>\n${joinItems(field, MAX_FIELD, escapeCharacter)}`),
    `<a href="${url}">Open the page</a>${seenBy && ` ${seenBy}`}`,
  ];
  return parts.join('\n\n');
}

function escapeCharacter(character: string): string {
  return ESCAPED[character] ?? character;
}

function readResponse({ status, body }: PostResponse): Outcome | undefined {
  const { description, parameters } = readMembers(body);
  const detail = `the response had status ${status}`;
  const isGone = [401, 403, 404].includes(status) || /chat not found/i.test(String(description));
  if (status >= 400 && isGone)
    return { kind: 'gone', detail: `${detail}, which means that the bot was removed from the chat`, status };
  if (status === 400 || status === 413)
    return { kind: 'refused', detail: `Telegram refused the message: ${detail}`, status };
  const { retry_after } = (parameters ?? {}) as { retry_after?: unknown };
  if (status !== 429 || typeof retry_after !== 'number' || !(retry_after > 0)) return undefined;
  return { kind: 'failed', detail, status, retryAfter: Math.ceil(retry_after * 1000) };
}
