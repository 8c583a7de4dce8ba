import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ChatName } from '../../../../gateway/people/alerts/channels.ts';
import { endServer, listen } from '../../../support/listen.ts';

/** What a chat service documents: its addresses, what it refuses, and what its responses mean. */
export interface ChatExample {
  /** Addresses that are recognised, and what is shown of each. */
  addresses: readonly [address: string, shown: string][];
  /** Addresses of the service that cannot receive messages. */
  wrong: readonly string[];
  /** The query of an address, after the path. */
  query?: string;
  /** Why the service would refuse a message. */
  findFault(message: unknown, parameters: URLSearchParams): string | undefined;
  /** Returns the texts of a message in which nothing from data may be a mention or markup, and what would be one. */
  textsIn(message: unknown): { texts: string[]; special: RegExp };
  responses: readonly [status: number, body: string, failure: string | undefined, retryAfter?: number][];
}

const TOKEN = 'aZ09_-'.repeat(11);
const MARKUP = /[<>]|&(?!amp;|lt;|gt;)/;

interface DiscordMessage {
  embeds: { title: string; url: string; description?: string; timestamp: string; footer: { text: string } }[];
  allowed_mentions: { parse: string[] };
}
interface SlackMessage {
  text: string;
  blocks: { type: string; text: { type: string; text: string } }[];
}
interface TelegramMessage {
  chat_id: string;
  text: string;
  parse_mode: string;
}

/** An example of each chat service. */
export const EXAMPLES: Record<ChatName, ChatExample> = {
  discord: {
    addresses: [
      [`https://discord.com/api/webhooks/1234/${TOKEN}`, 'https://discord.com/api/webhooks/1234/…'],
      [
        `https://discord.com/api/webhooks/1234/${TOKEN}?thread_id=5`,
        'https://discord.com/api/webhooks/1234/…',
      ],
      [
        `https://canary.discord.com/api/v10/webhooks/1/${TOKEN}/`,
        'https://canary.discord.com/api/v10/webhooks/1/…',
      ],
      [`https://discordapp.com/api/webhooks/1/${TOKEN}`, 'https://discordapp.com/api/webhooks/1/…'],
    ],
    wrong: ['https://discord.com/channels/1/2', `https://discord.com/api/webhooks/1/${TOKEN}/github`],
    // https://discord.com/developers/docs/resources/message#embed-object-embed-limits
    findFault(message, parameters) {
      const { embeds, allowed_mentions } = message as DiscordMessage;
      const [embed] = embeds;
      if (parameters.get('wait') !== 'true') return 'a message that is not kept would not be reported';
      if (allowed_mentions.parse.length > 0) return 'mentions are allowed';
      if (embeds.length !== 1 || !embed) return 'the number of embeds';
      const { title, url, description = '-', timestamp, footer } = embed;
      const limits: [string, number][] = [
        [title, 256],
        [description, 4096],
        [footer.text, 2048],
      ];
      const wrong = limits.find(([each, max]) => each.trim() === '' || each.length > max);
      if (wrong) return `a text of ${wrong[0].length} characters, expected 1 to ${wrong[1]}`;
      if (limits.reduce((sum, [each]) => sum + each.length, 0) > 6000) return 'too many characters in all';
      return Number.isNaN(Date.parse(timestamp)) || !URL.canParse(url) ? 'the time or address' : undefined;
    },
    textsIn(message) {
      const [embed] = (message as DiscordMessage).embeds;
      const texts = [embed?.title, embed?.description];
      // Without the escaped characters, no special one is left.
      const rest = texts.map((each = '') => each.replace(/\\[^0-9A-Za-z\s]/g, ''));
      return { texts: rest, special: /[\\*_~`|<>#[\]@]/ };
    },
    responses: [
      [204, '', undefined],
      [429, '<html>', 'unavailable', 7000],
      [404, '{"message": "Unknown Webhook", "code": 10015}', 'gone'],
      [401, '{"code":50027}', 'gone'],
      [404, '<html>not found</html>', 'unavailable'],
      [400, '{"code":50035}', 'refused'],
    ],
  },
  slack: {
    addresses: [
      [
        'https://hooks.slack.com/services/T0AB/B0CD/aZ09aZ09aZ09',
        'https://hooks.slack.com/services/T0AB/B0CD/…',
      ],
    ],
    wrong: [],
    // https://docs.slack.dev/reference/block-kit/blocks
    findFault(message) {
      const { text: fallback, blocks } = message as SlackMessage;
      if (blocks.length === 0 || blocks.length > 50) return 'the number of blocks';
      if (MARKUP.test(fallback)) return 'the fallback is not escaped';
      for (const { type, text: content } of blocks) {
        if (type !== 'header' && type !== 'section') return `the block ${type}`;
        if (type === 'header' && content.type !== 'plain_text') return 'the type of the header';
        if (content.text.trim() === '' || content.text.length > (type === 'header' ? 150 : 3000))
          return `${content.text.length} characters in a ${type}`;
      }
      return undefined;
    },
    textsIn(message) {
      const texts = (message as SlackMessage).blocks.map(({ text: { type, text } }) =>
        // Ours: the link.
        type === 'plain_text' ? text : text.replace(/^<https:[^<>|]+\|Open the page>/, ''),
      );
      return { texts, special: MARKUP };
    },
    responses: [
      [200, 'ok', undefined],
      [404, 'no_service', 'gone'],
      [410, 'channel_is_archived\n', 'gone'],
      [403, '<html>no_service</html>', 'unavailable'],
      [400, 'invalid_blocks', 'refused'],
    ],
  },
  telegram: {
    addresses: [
      [
        `https://api.telegram.org/bot123456789:${TOKEN}/sendMessage?chat_id=-100123`,
        'https://api.telegram.org/bot123456789:…',
      ],
      [
        `https://api.telegram.org/bot123456789:${TOKEN}/sendMessage?message_thread_id=4&chat_id=@games`,
        'https://api.telegram.org/bot123456789:…',
      ],
    ],
    wrong: [
      `https://api.telegram.org/bot123456789:${TOKEN}/sendMessage`,
      `https://api.telegram.org/bot123456789:${TOKEN}/getMe?chat_id=1`,
    ],
    query: '?chat_id=-100123',
    // https://core.telegram.org/bots/api#sendmessage
    findFault(message) {
      const { chat_id, text: content, parse_mode } = message as TelegramMessage;
      if (chat_id !== '-100123' || parse_mode !== 'HTML') return 'the chat or the form';
      return content.length === 0 || content.length > 4096 ? `${content.length} characters` : undefined;
    },
    textsIn(message) {
      const { text: content } = message as TelegramMessage;
      return { texts: [content.replace(/<\/?b>|<a href="[^"<>]*">|<\/a>/g, '')], special: MARKUP };
    },
    responses: [
      [200, '{"ok":true}', undefined],
      [403, '{"ok":false,"description":"Forbidden: bot was kicked"}', 'gone'],
      [400, '{"ok":false,"description":"Bad Request: chat not found"}', 'gone'],
      [400, '{"ok":false,"description":"Bad Request: can\'t parse entities"}', 'refused'],
      [403, '<html>forbidden</html>', 'unavailable'],
    ],
  },
};

/** A server that receives a message as a chat service does. */
export interface ChatServer {
  url: string;
  /** What was posted, as JSON. */
  messages: string[];
  /** Why the service would have refused it. */
  faults: string[];
  stop(): Promise<void>;
}

/** @param respond writes the response; by default 200 */
export async function startChatServer(
  service: ChatName,
  respond: (response: ServerResponse) => void = (response) => response.writeHead(200).end('ok'),
): Promise<ChatServer> {
  const { findFault, query = '' } = EXAMPLES[service];
  const messages: string[] = [];
  const faults: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const isJson = request.headers['content-type'] === 'application/json';
    const fault = isJson ? findFault(JSON.parse(body), searchParams) : 'the content type';
    if (fault !== undefined) faults.push(fault);
    messages.push(body);
    respond(response);
  });
  return {
    url: `${await listen(server)}/api/webhooks/1/token${query}`,
    messages,
    faults,
    stop: () => endServer(server),
  };
}
