import { ALL_GAMES, NEW_GAMES } from '../../catalog/topic.ts';
import type { Attempt } from '../alerts/attempts.ts';
import { type ChatService, findChatService, maskAddress, SERVICE_NAMES } from '../alerts/chat-service.ts';
import { isOn } from '../alerts/delivery.ts';
import type { Webhook } from '../alerts/subscription.ts';
import { CLAIM } from '../membership/claim-pages.ts';
import { showTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { FORMS } from './addresses.ts';
import { TOPIC_FIELD } from './follows.ts';
import { scrollable } from './scrollable.ts';
import { type Fields, sessionForm } from './session-form.ts';

/** Makes the section about alerts: what is followed, and the channels. Without Pro it shows what was followed before. */
export function alertsSection(state: AccountState, typed: Fields): Html {
  return html`<h2 id="alerts">Alerts</h2>
${state.tier === 'pro' ? settings(state, typed) : forPro(state)}`;
}

function forPro({ subscription: { follows }, hasClaims }: AccountState): Html {
  const claim = hasClaims
    ? html` If you have one under another email address, <a href="${CLAIM}">claim it</a>.`
    : undefined;
  const kept =
    follows.length > 0
      ? html`<p>Your list of followed games is kept until then: ${follows.join(', ')}.</p>`
      : undefined;
  return html`<p>With Pro you get alerts for new games, and for new builds of games that you follow: by webhook, by mail, in a feed, or as a stream
  (<code>/api/events</code>). Pro comes with a membership. Ask the operator of this gateway where to get one.${claim}</p>
${kept}`;
}

function settings(state: AccountState, typed: Fields): Html {
  return html`${follows(state)}
<div class="account-cards">
<section class="panel"><h3>By mail</h3>
${mail(state)}</section>
<section class="panel"><h3>By webhook</h3>
${webhook(state, typed)}</section>
<section class="panel"><h3>As a feed</h3>
${feed(state)}</section>
</div>
<h3>Last deliveries</h3>
${deliveries(state)}`;
}

function follows({ session, subscription, games }: AccountState): Html {
  const box = (topic: string, label: string) => {
    const checked = subscription.follows.includes(topic) ? ' checked' : '';
    return html`<div><label><input type="checkbox" name="${TOPIC_FIELD}${topic}"${checked}> ${label}</label></div>
  `;
  };
  const boxes = html`<fieldset>
  <legend>What you follow</legend>
  ${box(ALL_GAMES, 'All games')}${box(NEW_GAMES, 'New games')}${games.map(({ slug, title }) => box(slug, title))}
  </fieldset>
  <p><button>Save</button></p>`;
  return sessionForm(session, FORMS.setFollows, boxes);
}

function mail({ session, subscription }: AccountState): Html {
  const [state, value, verb] = subscription.mail ? ['on', 'off', 'Turn off'] : ['off', 'on', 'Turn on'];
  const button = html`<p>Mails to ${session.account.email} are ${state}. <button name="mail" value="${value}">${verb}</button></p>`;
  return sessionForm(session, FORMS.setMail, button);
}

function webhook({ session, subscription, secrets }: AccountState, typed: Fields): Html {
  const known = subscription.webhook;
  const service = known ? findChatService(known.url) : undefined;
  const current = known && service === undefined ? known.url : undefined;
  const url = html`<p><label for="url">Address that receives the events, https://…, also that of a webhook of Discord or Slack</label><br>
    <input type="url" id="url" name="url" value="${typed.get('url') ?? current}" maxlength="2048" required></p>
  <p><button>${known ? 'Change' : 'Set'}</button></p>`;
  return html`${sessionForm(session, FORMS.setWebhook, url)}
${known ? describeWebhook(known, secrets, session) : undefined}`;
}

function describeWebhook(
  { url, disabled }: Webhook,
  secrets: AccountState['secrets'],
  session: AccountState['session'],
): Html {
  const stopped =
    disabled && html`<p>The webhook is disabled since ${showTime(disabled.at)}: ${disabled.reason}.</p>`;
  const service = findChatService(url);
  const buttons = html`${disabled ? html`<button name="change" value="enable">Enable</button> ` : undefined}
  ${service ? undefined : secretButton(secrets)}
  <button name="change" value="remove">Remove</button>`;
  return html`${stopped ?? undefined}
${service ? describeService(service, url) : describeSecrets(secrets)}
${sessionForm(session, FORMS.changeWebhook, buttons)}`;
}

function secretButton(secrets: AccountState['secrets']): Html {
  return typeof secrets === 'object' && secrets.earlier !== undefined
    ? html`<button name="change" value="end-earlier">End the earlier secret now</button>`
    : html`<button name="change" value="secret">New secret</button>`;
}

function describeService(service: ChatService, url: string): Html {
  return html`<p>${SERVICE_NAMES[service]} gets a message for each event, at <code>${maskAddress(url)}</code></p>`;
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

function deliveries({ session, attempts, subscription }: AccountState): Html {
  const rows = attempts.map((attempt) => {
    const canRepeat = typeof attempt.position === 'number' && isOn(subscription, attempt.channel);
    return describeAttempt(attempt, canRepeat ? repeatButton(session, attempt) : undefined);
  });
  const table = scrollable(
    'Last deliveries',
    html`<table>
<tr><th scope="col">Time<th scope="col">Channel<th scope="col">Event<th scope="col">Outcome<th scope="col">Took<td>
${rows}</table>`,
  );
  return html`${attempts.length > 0 ? table : html`<p>None yet.</p>`}
${sessionForm(session, FORMS.sendTest, html`<button class="quiet">Send a test</button>`)}`;
}

/** The value names the attempt by its time, event and channel. */
function repeatButton(session: AccountState['session'], { at, channel, event }: Attempt): Html {
  const button = html`<button name="attempt" value="${at} ${event.id} ${channel}" aria-label="Send ${event.type} ${event.game} ${event.build} again">Send again</button>`;
  return sessionForm(session, FORMS.sendAgain, button);
}

function describeAttempt(
  { at, channel, event, attempt, outcome, detail, next_at, ms }: Attempt,
  repeat: Html | undefined,
): Html {
  const next = next_at === null ? undefined : html`; next attempt ${showTime(next_at)}`;
  return html`<tr><td>${showTime(at)}<td>${channel}<td>${event.type} ${event.game} ${event.build}<td>${outcome}${
    attempt > 1 ? html` (attempt ${attempt})` : undefined
  }: ${detail}${next}<td>${ms === undefined ? undefined : `${ms} ms`}<td>${repeat}
`;
}
