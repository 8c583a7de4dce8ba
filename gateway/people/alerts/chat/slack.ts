import { type ChatService, escapeMarkup, escapeWithin, joinWithin } from '../message.ts';

/** Slack. https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: ChatService = {
  label: 'Slack',
  form: 'https://hooks.slack.com/services/<team>/<app>/<token>',
  address: /^(https:\/\/hooks\.slack(?:-gov)?\.com\/services\/\w{1,40}\/\w{1,40}\/)\w{1,200}\/?(?:\?|$)/,
  /** Blocks, in which all that comes from data is plain text. A header may have 150 characters, a text 3,000. */
  post(address, { title, lines, url, seenBy }) {
    const text = escapeWithin(title, 150, escapeMarkup);
    const blocks = [
      { type: 'header', text: plain(text) },
      ...(lines.length > 0 ? [section(plain(joinWithin(lines, 3000, escapeMarkup)))] : []),
      section({ type: 'mrkdwn', text: `<${url}|Open the page>${seenBy && ` ${seenBy}`}` }),
    ];
    const options = { link_names: false, unfurl_links: false, unfurl_media: false };
    return { url: address, body: JSON.stringify({ text, blocks, ...options }) };
  },
  final:
    /^(?:(?<gone>4(?:03|04|10) (?:no_service|no_service_id|no_active_hooks|no_team|team_disabled|invalid_token|channel_not_found|channel_is_archived|action_prohibited)\s*$)|400 |413 )/,
};

const section = (text: object) => ({ type: 'section', text });
const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
