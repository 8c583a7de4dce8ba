import { type ChatForm, type ChatMessage, escapeWithin, joinItems } from '../message.ts';
import type { Outcome, PostResponse } from '../post.ts';

/** Slack's limits, in characters: 150 for a header, 3,000 for a text. A message has at most 50 blocks; ours have fewer than 20. */
const MAX_HEADER = 150;
const MAX_TEXT = 3000;
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Errors of Slack after which no other message can be sent to the webhook either. */
const GONE =
  /^(?:no_service|no_service_id|no_active_hooks|no_team|team_disabled|invalid_token|channel_not_found|channel_is_archived|action_prohibited)$/;

/** Slack. https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: ChatForm = {
  label: 'Slack',
  begins: 'https://hooks.slack.com/services/',
  expected: 'https://hooks.slack.com/services/ with three parts',
  hosts: ['hooks.slack.com', 'hooks.slack-gov.com'],
  hasOthers: true,
  path: /^(\/services\/\w{1,40}\/\w{1,40}\/)\w{1,200}\/?(?:\?|$)/,
  make: (url, _, message) => ({ url, body: render(message) }),
  read: readResponse,
};

/** Makes blocks, in which all that comes from data is plain text. */
function render({ title, url, seenBy, text, fields }: ChatMessage): string {
  const blocks = [
    { type: 'header', text: plain(escapeWithin(title, MAX_HEADER, escapeCharacter)) },
    ...(text === '' ? [] : [section(plain(escapeWithin(text, MAX_TEXT, escapeCharacter)))]),
    ...fields.flatMap((field) => [
      section({ type: 'mrkdwn', text: `*${field.name}*` }),
      section(plain(joinItems(field, MAX_TEXT, escapeCharacter))),
    ]),
    section({ type: 'mrkdwn', text: `<${url}|Open the page>${seenBy && ` ${seenBy}`}` }),
  ];
  return JSON.stringify({
    text: escapeWithin(title, MAX_TEXT, escapeCharacter),
    blocks,
    ...{ link_names: false, unfurl_links: false, unfurl_media: false },
  });
}

function section(text: object): object {
  return { type: 'section', text };
}

function plain(text: string): object {
  return { type: 'plain_text', text, emoji: false };
}

function escapeCharacter(character: string): string {
  return ESCAPED[character] ?? character;
}

function readResponse({ status, body }: PostResponse): Outcome | undefined {
  const detail = `the response had status ${status}`;
  if (GONE.test(body.trim()) && [403, 404, 410].includes(status))
    return { kind: 'gone', detail: `${detail}, which means that the webhook was removed at Slack`, status };
  if (status === 400 || status === 413)
    return { kind: 'refused', detail: `Slack refused the message: ${detail}`, status };
  return undefined;
}
