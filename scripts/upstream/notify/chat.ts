import { makeMail, type Notice } from './notice.ts';

/** Makes the body that a chat expects for a notice. */
export type MakeBody = (notice: Notice) => object;

/** Discord refuses longer messages. Slack takes more, but nobody reads it. */
const MAX_CHARACTERS = 2000;
/** Links are not shown as cards. */
const SUPPRESS_EMBEDS = 4;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

const CHATS: readonly { host: RegExp; path: RegExp; body: MakeBody }[] = [
  {
    host: /^((canary|ptb)\.)?discord(app)?\.com$/,
    path: /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+$/,
    body: (notice) => ({
      content: writeText(notice, (text) => text),
      // Texts of upstream mention nobody.
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    }),
  },
  {
    host: /^hooks\.slack(-gov)?\.com$/,
    path: /^\/services\/T\w+\/B\w+\/\w+$/,
    body: (notice) => ({ text: writeText(notice, escapeSlack) }),
  },
];

/** Finds the chat that an address belongs to, also behind a proxy on this machine; undefined if it is none. */
export function findChat(address: string): MakeBody | undefined {
  const { hostname, pathname } = new URL(address);
  return CHATS.find(
    ({ host, path }) => (host.test(hostname) || LOOPBACK.test(hostname)) && path.test(pathname),
  )?.body;
}

/** The notice as a block of code, in which no markup has an effect. */
function writeText(notice: Notice, escapeMarkup: (text: string) => string): string {
  const { subject, text } = makeMail(notice, '');
  const plain = escapeMarkup(`${subject}\n\n${text.trimEnd()}`.replaceAll('```', "'''"));
  const room = MAX_CHARACTERS - '```\n\n```'.length;
  return `\`\`\`\n${plain.length > room ? `${plain.slice(0, room - 1)}…` : plain}\n\`\`\``;
}

/** Slack reads these as the begin of a mention, a link or an entity. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
