import type { GameEvent } from '../event.ts';
import type { ChatService } from '../message.ts';

const COLORS: Readonly<Record<GameEvent['type'], number>> = {
  'game.added': 0x2e7d32,
  'build.released': 0x1565c0,
  'build.amended': 0xf9a825,
  'build.withdrawn': 0xc62828,
  'alerts.test': 0x757575,
};
/** Characters with a meaning in Discord's Markdown, mentions or addresses. */
const SPECIAL = /[\\*_~`|<>#[\]()@:+\-=.!&]/;
/** Errors of Discord: the webhook is unknown, or its token is wrong. */
const GONE_CODES: readonly unknown[] = [10_015, 50_027];

/** Discord. https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: ChatService = {
  label: 'Discord',
  form: 'https://discord.com/api/webhooks/<number>/<token>',
  address:
    /^(https:\/\/(?:(?:ptb\.|canary\.)?discord|discordapp)\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/)[\w-]{1,200}\/?(?:\?|$)/,
  escape: (character) => (SPECIAL.test(character) ? `\\${character}` : character),
  /** An embed may have 256 characters in its title, 1,024 in a field, 25 fields, and 6,000 characters together. */
  max: { title: 256, text: 700, field: 640 },
  /** One embed. Nothing in it can mention anyone. With `wait`, Discord reports a message that it does not keep. */
  post(address, { title, url, seenBy, text, fields }, { type, timestamp }) {
    const to = new URL(address);
    to.searchParams.set('wait', 'true');
    const footer = { text: `Game Data Read API${seenBy && `. ${seenBy}`}` };
    const description = text !== '' && { description: text };
    const embed = { title, url, ...description, color: COLORS[type], timestamp, fields, footer };
    return { url: to.href, body: JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }) };
  },
  isGone: ({ status }, { code }) => [401, 404].includes(status) && GONE_CODES.includes(code),
};
