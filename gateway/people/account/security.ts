// The tab with the sessions of an account, its log, and its deletion.

import { html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import { toIso } from '../../store/accounts.ts';
import { describeEvent, KEEP_DAYS, MAX_ENTRIES, readLog, recordChange } from '../../store/audit.ts';
import { hashToken } from '../../store/secrets.ts';
import { endSessions, sessionId, sessionsOf } from '../sessions.ts';
import { describeTime, showTime, submit } from '../web.ts';
import { type AccountPage, buttonForm, scrollable, postForm } from './visit.ts';

const END = '/account/sessions/end';
/** Ends all sessions when it is sent instead of the id of one. */
const ALL = 'all';

export const securityTab: AccountPage = {
  path: '/account/security',
  label: 'Security',
  async show(visit) {
    const current = sessionId(hashToken(visit.session.token));
    const sessions = await sessionsOf(visit.store, visit.account.id);
    const rows = sessions.map(({ hash, network, browser, ...row }) => {
      const [id, created_at] = [sessionId(hash), toIso(row.created_at)];
      const about = `the session of ${describeTime(created_at)}`;
      const end = { name: 'id', value: id, label: 'End', about };
      return html`<tr><td>${showTime(created_at)}</td><td>${network}</td><td>${browser}</td>
        <td>${id === current ? 'this one' : buttonForm(END, end)}</td></tr>`;
    });
    const events = (await readLog(visit.store, visit.account.id)).map(
      (event) =>
        html`<tr><td>${showTime(toIso(event.at))}</td><td>${describeEvent(event)}</td><td>${event.network}</td></tr>`,
    );
    return html`<h2 id="sessions">Sessions</h2>
      <p>Where this account is signed in. A session ends by itself after an hour.</p>
      ${scrollable('Sessions', ['Begun', 'Network', 'Browser', ''], rows)}
      ${postForm(END, submit('End all sessions, this one too', html` class="quiet" name="id" value="${ALL}"`))}
      <h2 id="events">What happened</h2>
      <p>The events of this account in the last ${KEEP_DAYS} days, at most ${MAX_ENTRIES}. Keys that are made or revoked,
      new read-only addresses, sign-ins from new networks and a webhook that is disabled are also mailed to you.</p>
      ${scrollable('What happened', ['Time', 'What', 'Network'], events, html`<p>Nothing yet.</p>`)}
      <h2 id="delete">Delete</h2><p><a href="/account/delete">Delete the account</a></p>`;
  },
  forms: {
    async [END]({ account, store, typed, actor }) {
      const id = typed('id');
      await store.transaction(async (sql) => {
        if (!(await endSessions(sql, account.id, id === ALL ? undefined : id)))
          throw new InputError('that session has ended already');
        const event = id === ALL ? 'sessions.ended' : 'session.ended';
        await recordChange(sql, { account: account.id, event, actor });
      });
    },
  },
};
