import { isOpen, MAX_LINK_CHARS, MAX_NAME_CHARS, type RankedRequest } from '../game-requests/game-request.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { FORMS } from './addresses.ts';
import { scrollable } from './scrollable.ts';
import { type Fields, sessionForm } from './session-form.ts';

/** The maximum number of waiting requests that are shown, in addition to the account's own. */
const MAX_SHOWN = 100;

/** Makes the section about game requests, by rank, with a form for a new one. */
export function requestsSection(state: AccountState, typed: Fields): Html {
  const { session, requests } = state;
  const isOwn = ({ request }: RankedRequest) => request.supporters.includes(session.account.id);
  const isWaiting = ({ request }: RankedRequest) => isOpen(request);
  const first = new Set(requests.filter(isWaiting).slice(0, MAX_SHOWN));
  const shown = requests.filter((ranked) => first.has(ranked) || isOwn(ranked));
  const rows = shown.map((ranked) => describeRequest(state, ranked, isOwn(ranked), isWaiting(ranked)));
  const table = scrollable(
    'Game requests',
    html`<table>
<tr><th scope="col">Game<th scope="col">Status<th scope="col">Votes<td>
${rows}</table>`,
  );
  const ask = html`<p><label for="name">Name of the game</label><br>
    <input type="text" id="name" name="name" value="${typed.get('name')}" maxlength="${MAX_NAME_CHARS}" required></p>
  <p><label for="link">Its page in an app store, https://…</label><br>
    <input type="url" id="link" name="link" value="${typed.get('link')}" maxlength="${MAX_LINK_CHARS}" required></p>
  <p><button>Request the game</button></p>`;
  return html`<h2 id="requests">Game requests</h2>
<p>Requests with a Pro supporter come first, then those with more supporters, then the older ones. When a game is available, the
  supporters of its request get a mail.</p>
${shown.length > 0 ? table : html`<p>There are no open requests.</p>`}
${sessionForm(session, FORMS.askForGame, ask)}`;
}

function describeRequest(
  { session }: AccountState,
  { request }: RankedRequest,
  isOwn: boolean,
  isWaiting: boolean,
): Html {
  const { id, name, link, status, note, game, supporters } = request;
  const host = new URL(link).hostname;
  const there = status === 'done' ? html`: <code>${game ?? ''}</code>` : undefined;
  const said = note === null ? undefined : html`<br>${note}`;
  const [action, verb] = isOwn
    ? [FORMS.withdrawSupport, 'Withdraw' as const]
    : [FORMS.supportRequest, 'Support' as const];
  const button = html`<button name="id" value="${id}" aria-label="${verb}: ${name}">${verb}</button>`;
  return html`<tr><td>${name}<br><a href="${link}" rel="nofollow noreferrer">${host}</a><td>${status}${there}${said}<td>${supporters.length}<td>${isWaiting ? sessionForm(session, action, button) : undefined}
`;
}
