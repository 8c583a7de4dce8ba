import { sessionId } from '../accounts/session.ts';
import { type AuditEvent, describeEvent } from '../audit/audit-event.ts';
import { KEEP_DAYS, MAX_EVENTS } from '../audit/audit-log.ts';
import { describeTime, showTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { ALL_SESSIONS, FORMS } from './addresses.ts';
import { scrollable } from './scrollable.ts';
import { sessionForm } from './session-form.ts';

/** Makes the section about sessions, with a button to end each, and one to end all. */
export function sessionsSection({ session, sessions }: AccountState): Html {
  const own = sessionId(session);
  const rows = sessions.map(({ id, created_at, used_at, network, browser }) => {
    const end = html`<button name="id" value="${id}" aria-label="End the session of ${describeTime(created_at)}">End</button>`;
    const used = used_at === undefined ? undefined : showTime(used_at);
    return html`<tr><td>${showTime(created_at)}<td>${used}<td>${network}<td>${browser}<td>${
      id === own ? 'this one' : sessionForm(session, FORMS.endSessions, end)
    }
`;
  });
  const all = html`<p><button class="quiet" name="id" value="${ALL_SESSIONS}">End all sessions, this one too</button></p>`;
  return html`<h2 id="sessions">Sessions</h2>
<p>Where this account is signed in. A session ends by itself after an hour.</p>
${scrollable(
  'Sessions',
  html`<table>
<tr><th scope="col">Begun<th scope="col">Last used (hour)<th scope="col">Network<th scope="col">Browser<td>
${rows}</table>`,
)}
${sessionForm(session, FORMS.endSessions, all)}`;
}

/** Makes the section that shows the audit log of the account. */
export function eventsSection({ events }: AccountState): Html {
  const rows = events.map(
    (
      event: AuditEvent,
    ) => html`<tr><td>${showTime(event.at)}<td>${describeEvent(event)}<td>${event.network ?? ''}
`,
  );
  const table = scrollable(
    'What happened',
    html`<table>
<tr><th scope="col">Time<th scope="col">What<th scope="col">Network
${rows}</table>`,
  );
  return html`<h2 id="events">What happened</h2>
<p>The events of this account in the last ${KEEP_DAYS} days, at most ${MAX_EVENTS}. Keys that are made or revoked, new read-only addresses, sign-ins from new networks and
  a webhook that is disabled are also mailed to you.</p>
${events.length > 0 ? table : html`<p>Nothing yet.</p>`}`;
}
