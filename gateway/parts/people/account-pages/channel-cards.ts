import type { ChannelName } from '../alerts/attempts.ts';
import type { PostChannel } from '../alerts/chat-hook.ts';
import { type ChatService, SERVICE_NAMES } from '../alerts/chat-service.ts';
import { channelsOf } from '../alerts/delivery.ts';
import type { Webhook } from '../alerts/subscription.ts';
import { showTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { FORMS } from './addresses.ts';
import { type Fields, sessionForm } from './session-form.ts';

/** Makes a card for each channel: what it is set to, and the forms that change, test and remove it. @param typed what a refused form had */
export function channelCards(state: AccountState, typed: Fields): Html {
  return html`<div class="account-cards">
${card('By mail', mail(state))}
${card('By webhook', webhook(state, typed))}
${card('In Discord', chat('discord', state, typed))}
${card('In Slack', chat('slack', state, typed))}
${card('As a feed', feed(state))}
</div>`;
}

function card(title: string, content: Html): Html {
  return html`<section class="panel"><h3>${title}</h3>
${content}</section>`;
}

function mail({ session, subscription }: AccountState): Html {
  const [state, value, verb] = subscription.mail ? ['on', 'off', 'Turn off'] : ['off', 'on', 'Turn on'];
  const button = html`<p>Mails to ${session.account.email} are ${state}. <button name="mail" value="${value}">${verb}</button></p>`;
  return html`${sessionForm(session, FORMS.setMail, button)}
${testForm('mail', session, subscription)}`;
}

function webhook({ session, subscription, secrets }: AccountState, typed: Fields): Html {
  const known = subscription.webhook;
  const label = 'Address that receives the events, https://…, also that of a webhook of Discord or Slack';
  const form = addressForm({ channel: 'webhook', label, current: known?.url, session, typed });
  if (!known) return form;
  const buttons = html`${known.disabled ? ENABLE : undefined}
  ${secretButton(secrets)}
  ${REMOVE}`;
  return html`${form}
${describeEnd(known)}
${describeSecrets(secrets)}
${changeForm('webhook', session, buttons)}
${testForm('webhook', session, subscription)}`;
}

function chat(channel: ChatService, { session, subscription }: AccountState, typed: Fields): Html {
  const known = subscription[channel];
  const name = SERVICE_NAMES[channel];
  const label = `Address of a webhook of ${name}, ${ADDRESS_BEGINS[channel]}…`;
  const form = addressForm({ channel, label, current: undefined, isSet: known !== null, session, typed });
  if (!known) return form;
  return html`${form}
${describeEnd(known)}
<p>${name} gets a message for each event, at <code>${known.shown}</code></p>
${changeForm(
  channel,
  session,
  html`${known.disabled ? ENABLE : undefined}
  ${REMOVE}`,
)}
${testForm(channel, session, subscription)}`;
}

const ADDRESS_BEGINS: Readonly<Record<ChatService, string>> = {
  discord: 'https://discord.com/api/webhooks/',
  slack: 'https://hooks.slack.com/services/',
};
const ENABLE = html`<button name="change" value="enable">Enable</button>`;
const REMOVE = html`<button name="change" value="remove">Remove</button>`;

function addressForm({
  channel,
  label,
  current,
  isSet = current !== undefined,
  session,
  typed,
}: {
  channel: PostChannel;
  label: string;
  current: string | undefined;
  isSet?: boolean;
  session: AccountState['session'];
  typed: Fields;
}): Html {
  const id = channel === 'webhook' ? 'url' : `${channel}-url`;
  const isTyped = (typed.get('channel') ?? 'webhook') === channel;
  const value = (isTyped ? typed.get('url') : undefined) ?? current;
  const field = html`<input type="hidden" name="channel" value="${channel}">
  <p><label for="${id}">${label}</label><br>
    <input type="url" id="${id}" name="url" value="${value}" maxlength="2048" required></p>
  <p><button>${isSet ? 'Change' : 'Set'}</button></p>`;
  return sessionForm(session, FORMS.setWebhook, field);
}

function changeForm(channel: PostChannel, session: AccountState['session'], buttons: Html): Html {
  const field = html`<input type="hidden" name="channel" value="${channel}">`;
  return sessionForm(session, FORMS.changeWebhook, html`${field}${buttons}`);
}

function testForm(
  channel: ChannelName,
  session: AccountState['session'],
  subscription: AccountState['subscription'],
): Html | undefined {
  if (!channelsOf(subscription).includes(channel)) return undefined;
  const button = html`<button class="quiet" name="channel" value="${channel}">Send a test</button>`;
  return sessionForm(session, FORMS.sendTest, button);
}

function describeEnd({ disabled }: { disabled: Webhook['disabled'] }): Html | undefined {
  if (!disabled) return undefined;
  return html`<p>The webhook is disabled since ${showTime(disabled.at)}: ${disabled.reason}.</p>`;
}

function secretButton(secrets: AccountState['secrets']): Html {
  return typeof secrets === 'object' && secrets.earlier !== undefined
    ? html`<button name="change" value="end-earlier">End the earlier secret now</button>`
    : html`<button name="change" value="secret">New secret</button>`;
}

function describeSecrets(secrets: AccountState['secrets']): Html | undefined {
  if (secrets === undefined) return undefined;
  if (secrets === 'unreadable') {
    return html`<p>The gateway cannot read the secret that signs the events, so deliveries wait. Ask its operator, or make a new secret.</p>`;
  }
  const { current, earlier } = secrets;
  const old =
    earlier &&
    html`<p>The earlier secret, <code>${earlier.secret}</code>, is valid until ${showTime(earlier.until)}: each event is signed with both.</p>`;
  return html`<details><summary>Secret that signs the events</summary>
<p><code>${current}</code>, used as <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> describes.</p>
${old}</details>`;
}

function feed({ session, subscription }: AccountState): Html {
  if (subscription.feed === null)
    return sessionForm(session, FORMS.renewFeed, html`<button>Create a feed</button>`);
  return html`<p>You have a feed. Anyone who knows its address can read it.</p>
${sessionForm(session, FORMS.renewFeed, html`<button>New address</button>`)}
${sessionForm(session, FORMS.removeFeed, html`<button>Remove the feed</button>`)}`;
}
