// The tab with the game requests.
import { type Html, html } from '../../http/html.ts';
import {
  addRequest,
  asSeen,
  type GameRequest,
  isWaiting,
  listRequests,
  MAX_LINK_CHARS,
  MAX_NAME_CHARS,
  type Supporter,
  supportRequest,
  withdrawSupport,
} from '../requests.ts';
import { field, submit } from '../web.ts';
import { scrollable, sessionForm, type Tab, type Visit } from './visit.ts';

const ASK = '/account/requests/ask';
const SUPPORT = '/account/requests/support';
const WITHDRAW = '/account/requests/withdraw';
/** The maximum number of waiting requests that are shown, in addition to the account's own. */
const MAX_SHOWN = 100;

const seenBy = ({ services: { follower, now }, tier }: Visit) => follower.catalog.viewAt(now(), tier).games;
const supporterOf = (visit: Visit): Supporter => ({ account: visit.session.account.id, seen: seenBy(visit) });
const idOf = ({ fields }: Visit) => fields.get('id') ?? '';

export const requestsTab: Tab = {
  path: '/account/requests',
  label: 'Game requests',
  async show(visit) {
    const { services, session, fields } = visit;
    const seen = seenBy(visit);
    const all = (await listRequests(services.store, session.account.id)).map((each) => asSeen(each, seen));
    const first = new Set(all.filter(isWaiting).slice(0, MAX_SHOWN));
    const rows = all
      .filter((each) => first.has(each) || each.isOwn)
      .map((request) => requestRow(visit, request));
    const name = { maxlength: MAX_NAME_CHARS, required: true } as const;
    const link = { maxlength: MAX_LINK_CHARS, required: true } as const;
    const ask = html`${field({ label: 'Name of the game', id: 'name', value: fields.get('name'), more: name })}
      ${field({
        label: 'Its page in an app store, https://…',
        ...{ id: 'link', type: 'url', value: fields.get('link'), more: link },
      })}${submit('Request the game')}`;
    return html`<h2 id="requests">Game requests</h2>
      <p>Requests with a Pro supporter come first, then those with more supporters, then the older ones. When a game is
      available, the supporters of its request get a mail.</p>
      ${rows.length > 0 ? scrollable('Game requests', ['Game', 'Status', 'Votes', ''], rows) : html`<p>There are no open requests.</p>`}
      ${sessionForm(visit, ASK, ask)}`;
  },
  forms: {
    [ASK]: {
      async apply(visit) {
        const { services, fields } = visit;
        const typed = { name: fields.get('name') ?? '', link: fields.get('link') ?? '' };
        await addRequest(services.store, supporterOf(visit), typed);
        return undefined;
      },
    },
    [SUPPORT]: {
      async apply(visit) {
        await supportRequest(visit.services.store, idOf(visit), supporterOf(visit));
        return undefined;
      },
    },
    [WITHDRAW]: {
      async apply(visit) {
        await withdrawSupport(visit.services.store, idOf(visit), visit.session.account.id);
        return undefined;
      },
    },
  },
};

function requestRow(visit: Visit, request: GameRequest): Html {
  const { id, name, link, status, note, game, supporters, isOwn } = request;
  const verb = isOwn ? 'Withdraw' : 'Support';
  const button = html`<button type="submit" name="id" value="${id}" aria-label="${verb}: ${name}">${verb}</button>`;
  return html`<tr><td>${name}<br><a href="${link}" rel="nofollow noreferrer">${new URL(link).hostname}</a></td>
    <td>${status}${status === 'done' && html`: <code>${game}</code>`}${note !== null && html`<br>${note}`}</td>
    <td>${supporters}</td>
    <td>${isWaiting(request) && sessionForm(visit, isOwn ? WITHDRAW : SUPPORT, button)}</td></tr>`;
}
