// The tab with the game requests.
import { html } from '../../http/html.ts';
import * as requests from '../requests.ts';
import { type AccountPage, buttonForm, fieldsForm, scrollable, type Visit } from './visit.ts';

const ASK = '/account/requests/ask';
const SUPPORT = '/account/requests/support';
const WITHDRAW = '/account/requests/withdraw';
/** How many waiting requests are shown, besides the account's own. */
const MAX_SHOWN = 100;

const FIELDS = [
  { id: 'name', label: 'Name of the game', more: { maxlength: requests.MAX_NAME_CHARS, required: true } },
  {
    ...{ id: 'link', label: 'Its page in an app store, https://…', type: 'url' },
    more: { maxlength: requests.MAX_LINK_CHARS, required: true },
  },
] as const;

const seenBy = ({ services: { follower, now }, tier }: Visit) => follower.catalog.viewAt(now(), tier).games;
const supporterOf = (visit: Visit) => ({ account: visit.account.id, seen: seenBy(visit) });

export const requestsTab: AccountPage = {
  path: '/account/requests',
  label: 'Game requests',
  async show(visit) {
    const { store, account } = visit;
    const seen = seenBy(visit);
    const all = (await requests.listRequests(store, account.id)).map((each) => requests.asSeen(each, seen));
    const first = new Set(all.filter(requests.isWaiting).slice(0, MAX_SHOWN));
    const rows = all
      .filter((each) => first.has(each) || each.isOwn)
      .map((request) => {
        const { id, name, link, status, note, game, supporters, isOwn } = request;
        const vote = { name: 'id', value: id, label: isOwn ? 'Withdraw' : 'Support', about: name };
        return html`<tr><td>${name}<br><a href="${link}" rel="nofollow noreferrer">${new URL(link).hostname}</a></td>
          <td>${status}${status === 'done' && html`: <code>${game}</code>`}${note !== null && html`<br>${note}`}</td>
          <td>${supporters}</td>
          <td>${requests.isWaiting(request) && buttonForm(isOwn ? WITHDRAW : SUPPORT, vote)}</td></tr>`;
      });
    return html`<h2 id="requests">Game requests</h2>
      <p>Requests with a Pro supporter come first, then those with more supporters, then the older ones. When a game is
      available, the supporters of its request get a mail.</p>
      ${scrollable('Game requests', ['Game', 'Status', 'Votes', ''], rows, html`<p>There are no open requests.</p>`)}
      ${fieldsForm(visit, ASK, { fields: FIELDS, button: 'Request the game' })}`;
  },
  forms: {
    async [ASK](visit) {
      const typed = { name: visit.typed('name'), link: visit.typed('link') };
      await requests.addRequest(visit.store, supporterOf(visit), typed);
    },
    async [SUPPORT](visit) {
      await requests.supportRequest(visit.store, visit.typed('id'), supporterOf(visit));
    },
    [WITHDRAW]: (visit) => requests.withdrawSupport(visit.store, visit.typed('id'), visit.account.id),
  },
};
