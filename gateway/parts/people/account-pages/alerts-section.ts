import { ALL_GAMES, NEW_GAMES } from '../../../core/catalog/topic.ts';
import type { Attempt } from '../alerts/attempts.ts';
import { isOn } from '../alerts/delivery.ts';
import { showTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { FORMS } from './addresses.ts';
import { channelCards } from './channel-cards.ts';
import { TOPIC_FIELD } from './follows.ts';
import { scrollable } from './scrollable.ts';
import { type Fields, sessionForm } from './session-form.ts';

/** Makes the section about alerts: what is followed, and the channels. Without Pro it shows what was followed before. */
export function alertsSection(state: AccountState, typed: Fields): Html {
  return html`<h2 id="alerts">Alerts</h2>
${state.tier === 'pro' ? settings(state, typed) : forPro(state)}`;
}

function forPro({ subscription: { follows } }: AccountState): Html {
  const kept =
    follows.length > 0
      ? html`<p>Your list of followed games is kept until then: ${follows.join(', ')}.</p>`
      : undefined;
  return html`<p>With Pro you get alerts for new games, and for new builds of games that you follow: by webhook, in Discord or Slack, by mail, in a feed, or as a stream
  (<code>/api/events</code>). Pro comes with a <a href="#membership">membership</a>.</p>
${kept}`;
}

function settings(state: AccountState, typed: Fields): Html {
  return html`${follows(state)}
${channelCards(state, typed)}
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
${sessionForm(session, FORMS.sendTest, html`<button class="quiet">Send a test by each channel</button>`)}`;
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
