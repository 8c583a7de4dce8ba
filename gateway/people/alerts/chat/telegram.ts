import { type ChatService, escapeMarkup } from '../message.ts';

/** Telegram. https://core.telegram.org/bots/api#sendmessage */
export const telegram: ChatService = {
  label: 'Telegram',
  form: 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>',
  address:
    /^(https:\/\/api\.telegram\.org\/bot\d{1,20}:)[\w-]{20,80}\/sendMessage\?(?:.*&)?chat_id=(?:-?\d{1,20}|(?:@|%40)\w{3,64})(?:&|$)/,
  escape: escapeMarkup,
  /** A message may have 4,096 characters. With at most seven fields, ours are shorter. */
  max: { title: 250, text: 500, field: 360 },
  post(address, { title, url, seenBy, text, fields }) {
    const to = new URL(address);
    // The chat, and the topic in it if there is one.
    const chat = Object.fromEntries(to.searchParams);
    to.search = '';
    const parts = [
      `<b>${title}</b>`,
      ...(text === '' ? [] : [text]),
      ...fields.map(({ name, value }) => `<b>${name}</b>\n${value}`),
      `<a href="${url}">Open the page</a>${seenBy && ` ${seenBy}`}`,
    ];
    const options = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } };
    return { url: to.href, body: JSON.stringify({ ...chat, text: parts.join('\n\n'), ...options }) };
  },
  isGone: ({ status }, { description }) =>
    [401, 403, 404].includes(status) || /chat not found/i.test(String(description)),
};
