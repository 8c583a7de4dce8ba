import { type ChatService, escapeWithin, joinWithin } from '../message.ts';

/** Characters with a meaning in Discord's Markdown, mentions or addresses. */
const SPECIAL = /[\\*_~`|<>#[\]()@:+\-=.!&]/;
const escapeMarkdown = (character: string) => (SPECIAL.test(character) ? `\\${character}` : character);

/** Discord. https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: ChatService = {
  label: 'Discord',
  form: 'https://discord.com/api/webhooks/<number>/<token>',
  address:
    /^(https:\/\/(?:(?:ptb\.|canary\.)?discord|discordapp)\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/)[\w-]{1,200}\/?(?:\?|$)/,
  /** One embed. Nothing in it can mention anyone. With `wait`, Discord reports a message that it does not keep. */
  post(address, { title, lines, url, seenBy }, { timestamp }) {
    const to = new URL(address);
    to.searchParams.set('wait', 'true');
    const footer = { text: `Game Data Read API${seenBy && `. ${seenBy}`}` };
    // An embed may have 256 characters in its title and 4,096 in its description.
    const description = lines.length > 0 && { description: joinWithin(lines, 4096, escapeMarkdown) };
    const about = { title: escapeWithin(title, 256, escapeMarkdown), url, ...description };
    const embed = { ...about, timestamp, footer };
    const body = { embeds: [embed], allowed_mentions: { parse: [] } };
    return { url: to.href, body: JSON.stringify(body) };
  },
  /** The webhook is unknown, or its token is wrong. */
  final: /^(?:(?<gone>40[14] .*"code": ?(?:10015|50027)\b)|400 |413 )/s,
};
