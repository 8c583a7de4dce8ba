import { type ChatService, escapeMarkup, escapeWithin, joinWithin } from '../message.ts';

/** Telegram. https://core.telegram.org/bots/api#sendmessage */
export const telegram: ChatService = {
  label: 'Telegram',
  form: 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>',
  address:
    /^(https:\/\/api\.telegram\.org\/bot\d{1,20}:)[\w-]{20,80}\/sendMessage\?(?:.*&)?chat_id=(?:-?\d{1,20}|(?:@|%40)\w{3,64})(?:&|$)/,
  /** A message may have 4,096 characters. */
  post(address, { title, lines, url, seenBy }) {
    const to = new URL(address);
    // The chat, and the topic in it if there is one.
    const chat = Object.fromEntries(to.searchParams);
    to.search = '';
    const parts = [
      `<b>${escapeWithin(title, 250, escapeMarkup)}</b>`,
      ...(lines.length > 0 ? [joinWithin(lines, 3300, escapeMarkup)] : []),
      `<a href="${url}">Open the page</a>${seenBy && ` ${seenBy}`}`,
    ];
    const options = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } };
    return { url: to.href, body: JSON.stringify({ ...chat, text: parts.join('\n\n'), ...options }) };
  },
  final: /^(?:(?<gone>40[134] .*"ok": ?false|400 .*chat not found)|400 |413 )/is,
};
