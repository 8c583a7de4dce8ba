import type { JSX } from 'preact';
import type { Attempt } from '../../alerts/deliver.ts';
import { ALL_GAMES, NEW_GAMES } from '../../alerts/subscription.ts';
import { Time } from '../../web/show-time.tsx';
import type { AccountState } from '../account-state.ts';
import { FORMS } from '../addresses.ts';
import { ChannelCards } from './channel-cards.tsx';
import { Scrollable } from './scrollable.tsx';
import { type Fields, SessionForm } from './session-form.tsx';

/** Prefix of the names of the fields for topics. */
export const TOPIC_FIELD = 'follow.';

/** The section about alerts: what is followed, and the channels. Without Pro it shows what was followed before. */
export function AlertsSection({ state, typed }: { state: AccountState; typed: Fields }): JSX.Element {
  return (
    <>
      <h2 id="alerts">Alerts</h2>
      {state.tier === 'pro' ? (
        <>
          <Follows {...state} />
          <ChannelCards state={state} typed={typed} />
          <h3>Last deliveries</h3>
          <Deliveries {...state} />
        </>
      ) : (
        <ForPro {...state} />
      )}
    </>
  );
}

function ForPro({ subscription: { follows } }: AccountState): JSX.Element {
  return (
    <>
      <p>
        With Pro you get alerts for new games, and for new builds of games that you follow: by webhook, in
        Discord or Slack, by mail, or in a feed. Pro comes with a <a href="#membership">membership</a>.
      </p>
      {follows.length > 0 && <p>Your list of followed games is kept until then: {follows.join(', ')}.</p>}
    </>
  );
}

function Follows({ session, subscription, games }: AccountState): JSX.Element {
  const topics = [{ slug: ALL_GAMES, title: 'All games' }, { slug: NEW_GAMES, title: 'New games' }, ...games];
  return (
    <SessionForm session={session} action={FORMS.setFollows}>
      <fieldset class="follows">
        <legend>What you follow</legend>
        {topics.map(({ slug, title }) => (
          <label>
            <input type="checkbox" name={TOPIC_FIELD + slug} checked={subscription.follows.includes(slug)} />{' '}
            {title}
          </label>
        ))}
      </fieldset>
      <p>
        <button type="submit">Save</button>
      </p>
    </SessionForm>
  );
}

function Deliveries({ session, attempts }: AccountState): JSX.Element {
  return (
    <>
      {attempts.length > 0 ? (
        <Scrollable label="Last deliveries" head={['Time', 'Channel', 'Event', 'Outcome', 'Took']}>
          {attempts.map((attempt) => (
            <AttemptRow attempt={attempt} />
          ))}
        </Scrollable>
      ) : (
        <p>None yet.</p>
      )}
      <SessionForm session={session} action={FORMS.sendTest}>
        <button type="submit" class="quiet">
          Send a test by each channel
        </button>
      </SessionForm>
    </>
  );
}

function AttemptRow(props: { attempt: Attempt }): JSX.Element {
  const { at, channel, event, attempt, outcome, detail, next_at, ms } = props.attempt;
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>{channel}</td>
      <td>
        {event.type} {event.game} {event.build}
      </td>
      <td>
        {outcome}
        {attempt > 1 && ` (attempt ${attempt})`}: {detail}
        {next_at !== null && (
          <>
            ; next attempt <Time at={next_at} />
          </>
        )}
      </td>
      <td>{ms !== undefined && `${ms} ms`}</td>
    </tr>
  );
}
