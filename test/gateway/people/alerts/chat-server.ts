import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ChatName } from '../../../../gateway/people/alerts/channels.ts';

/** The parts of a message that Discord documents and we send. */
export interface DiscordMessage {
  embeds: {
    title: string;
    url: string;
    description?: string;
    color: number;
    timestamp: string;
    fields: { name: string; value: string }[];
    footer: { text: string };
  }[];
  allowed_mentions: { parse: string[] };
}

/** The parts of a message that Slack documents and we send. */
export interface SlackMessage {
  text: string;
  blocks: { type: string; text: { type: string; text: string } }[];
}

/** What Telegram documents of a message and we send. */
export interface TelegramMessage {
  chat_id: string;
  text: string;
  parse_mode: string;
}

/** A server that takes messages as a chat service does: it refuses what the service documents as not valid. */
export interface ChatServer {
  url: string;
  /** What was accepted. */
  messages: string[];
  /** Why messages were refused. */
  faults: string[];
  stop(): Promise<void>;
}

/** Starts a server. @param respond responds instead, if it returns true */
export async function startChatServer(
  service: ChatName,
  respond: (response: ServerResponse, before: number) => boolean = () => false,
): Promise<ChatServer> {
  const messages: string[] = [];
  const faults: string[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (respond(response, count++)) return;
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const fault = FAULTS[service](body, searchParams);
    if (request.headers['content-type'] !== 'application/json' || fault !== undefined) {
      faults.push(fault ?? 'the content type');
      if (service === 'discord') response.writeHead(400).end('{"code":50035,"message":"Invalid Form Body"}');
      else response.writeHead(400).end('invalid_blocks');
      return;
    }
    messages.push(body);
    response.writeHead(200).end(service === 'slack' ? 'ok' : '{"ok":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/1/token${service === 'telegram' ? '?chat_id=-100123' : ''}`,
    messages,
    faults,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
function findDiscordFault(body: string, parameters: URLSearchParams): string | undefined {
  const { embeds, allowed_mentions } = JSON.parse(body) as DiscordMessage;
  if (parameters.get('wait') !== 'true') return 'a message that is not kept would not be reported';
  if (allowed_mentions.parse.length > 0) return 'mentions are allowed';
  if (embeds.length === 0 || embeds.length > 10) return 'the number of embeds';
  const texts: [string, number][] = embeds.flatMap(({ title, description, fields, footer }) => [
    [title, 256],
    [description ?? '-', 4096],
    [footer.text, 2048],
    ...fields.flatMap(({ name, value }): [string, number][] => [
      [name, 256],
      [value, 1024],
    ]),
  ]);
  const wrong = texts.find(([each, max]) => each.trim() === '' || each.length > max);
  if (wrong) return `a text of ${wrong[0].length} characters, expected 1 to ${wrong[1]}`;
  const total = texts.reduce((sum, [each]) => sum + each.length, 0);
  if (total > 6000) return `${total} characters in all`;
  for (const { url, color, timestamp, fields } of embeds) {
    if (fields.length > 25) return 'more than 25 fields';
    if (!/^https?:$/.test(new URL(url).protocol)) return 'the address';
    if (!Number.isInteger(color) || color < 0 || color > 0xffffff) return 'the color';
    if (Number.isNaN(Date.parse(timestamp))) return 'the timestamp';
  }
  return undefined;
}

/** https://docs.slack.dev/reference/block-kit/blocks and https://docs.slack.dev/messaging/formatting-message-text#escaping */
function findSlackFault(body: string): string | undefined {
  const { text: fallback, blocks } = JSON.parse(body) as SlackMessage;
  if (blocks.length === 0 || blocks.length > 50) return 'the number of blocks';
  if (/[<>]|&(?!amp;|lt;|gt;)/.test(fallback)) return 'the fallback is not escaped';
  for (const { type, text: content } of blocks) {
    const max = type === 'header' ? 150 : 3000;
    if (type !== 'header' && type !== 'section') return `the block ${type}`;
    if (type === 'header' && content.type !== 'plain_text') return 'the type of the header';
    if (content.text.trim() === '' || content.text.length > max)
      return `${content.text.length} characters in a ${type}`;
    if (content.type === 'plain_text' && /[<>]|&(?!amp;|lt;|gt;)/.test(content.text))
      return `not escaped: ${content.text}`;
  }
  return undefined;
}

/** https://core.telegram.org/bots/api#sendmessage and #html-style */
function findTelegramFault(body: string): string | undefined {
  const { chat_id, text: content, parse_mode } = JSON.parse(body) as TelegramMessage;
  if (!chat_id || parse_mode !== 'HTML') return 'the chat or the form';
  if (content.length === 0 || content.length > 4096) return `${content.length} characters`;
  const rest = content.replace(/<\/?b>|<a href="[^"<>]*">|<\/a>/g, '');
  return /[<>]|&(?!amp;|lt;|gt;)/.test(rest) ? `not escaped: ${rest}` : undefined;
}

const FAULTS: Record<ChatName, (body: string, parameters: URLSearchParams) => string | undefined> = {
  discord: findDiscordFault,
  slack: findSlackFault,
  telegram: findTelegramFault,
};
