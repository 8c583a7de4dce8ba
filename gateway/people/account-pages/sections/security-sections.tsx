import type { JSX } from 'preact';
import { sessionId } from '../../accounts/session.ts';
import { describeEvent } from '../../audit/audit-event.ts';
import { KEEP_DAYS, MAX_EVENTS } from '../../audit/audit-log.ts';
import { describeTime } from '../../web/describe-time.ts';
import { Time } from '../../web/show-time.tsx';
import type { AccountState } from '../account-state.ts';
import { ALL_SESSIONS, FORMS } from '../addresses.ts';
import { Scrollable } from './scrollable.tsx';
import { SessionForm } from './session-form.tsx';

/** The section about sessions, with a button to end each, and one to end all. */
export function SessionsSection({ state: { session, sessions } }: { state: AccountState }): JSX.Element {
  const currentId = sessionId(session);
  return (
    <>
      <h2 id="sessions">Sessions</h2>
      <p>Where this account is signed in. A session ends by itself after an hour.</p>
      <Scrollable label="Sessions" head={['Begun', 'Last used', 'Network', 'Browser', '']}>
        {sessions.map(({ id, created_at, used_at, network, browser }) => (
          <tr>
            <td>
              <Time at={created_at} />
            </td>
            {/* The store has only the hour of the last use. */}
            <td>{used_at !== undefined && <Time at={used_at < created_at ? created_at : used_at} />}</td>
            <td>{network}</td>
            <td>{browser}</td>
            <td>
              {id === currentId ? (
                'this one'
              ) : (
                <SessionForm session={session} action={FORMS.endSessions}>
                  <button
                    type="submit"
                    name="id"
                    value={id}
                    aria-label={`End the session of ${describeTime(created_at)}`}
                  >
                    End
                  </button>
                </SessionForm>
              )}
            </td>
          </tr>
        ))}
      </Scrollable>
      <SessionForm session={session} action={FORMS.endSessions}>
        <p>
          <button type="submit" class="quiet" name="id" value={ALL_SESSIONS}>
            End all sessions, this one too
          </button>
        </p>
      </SessionForm>
    </>
  );
}

/** The section that shows the audit log of the account. */
export function EventsSection({ state: { events } }: { state: AccountState }): JSX.Element {
  return (
    <>
      <h2 id="events">What happened</h2>
      <p>
        The events of this account in the last {KEEP_DAYS} days, at most {MAX_EVENTS}. Keys that are made or
        revoked, new read-only addresses, sign-ins from new networks and a webhook that is disabled are also
        mailed to you.
      </p>
      {events.length > 0 ? (
        <Scrollable label="What happened" head={['Time', 'What', 'Network']}>
          {events.map((event) => (
            <tr>
              <td>
                <Time at={event.at} />
              </td>
              <td>{describeEvent(event)}</td>
              <td>{event.network}</td>
            </tr>
          ))}
        </Scrollable>
      ) : (
        <p>Nothing yet.</p>
      )}
    </>
  );
}
