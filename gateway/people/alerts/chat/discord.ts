import type { GameEvent } from '../event.ts';
import { type ChatService, escapeWithin, joinWithin } from '../message.ts';

const COLORS: Readonly<Record<GameEvent['type'], number>> = {
  'game.added': 0x2e7d32,
  'build.released': 0x1565c0,
  'build.amended': 0xf9a825,
  'build.withdrawn': 0xc62828,
  'alerts.test': 0x757575,
};
/** Characters with a meaning in Discord's Markdown, mentions or addresses. */
const SPECIAL = /[\\*_~`|<>#[\]()@:+\-=.!&]/;
const escapeMarkdown = (character: string) => (SPECIAL.test(character) ? `\\${character}` : character);
/** Errors of Discord: the webhook is unknown, or its token is wrong. */
const GONE_CODES: readonly unknown[] = [10_015, 50_027];

/** Discord. https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: ChatService = {
  label: 'Discord',
  form: 'https://discord.com/api/webhooks/<number>/<token>',
  address:
    /^(https:\/\/(?:(?:ptb\.|canary\.)?discord|discordapp)\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/)[\w-]{1,200}\/?(?:\?|$)/,
  /** One embed. Nothing in it can mention anyone. With `wait`, Discord reports a message that it does not keep. */
  post(address, { title, lines, url, seenBy }, { type, timestamp }) {
    const to = new URL(address);
    to.searchParams.set('wait', 'true');
    const footer = { text: `Game Data Read API${seenBy && `. ${seenBy}`}` };
    // An embed may have 256 characters in its title and 4,096 in its description.
    const description = lines.length > 0 && { description: joinWithin(lines, 4096, escapeMarkdown) };
    const embed = {
      title: escapeWithin(title, 256, escapeMarkdown),
      url,
      ...description,
      color: COLORS[type],
    };
    const body = { embeds: [{ ...embed, timestamp, footer }], allowed_mentions: { parse: [] } };
    return { url: to.href, body: JSON.stringify(body) };
  },
  isGone: ({ status }, { code }) => [401, 404].includes(status) && GONE_CODES.includes(code),
};
