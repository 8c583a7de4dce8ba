import { MAX_LINK_CHARS, MAX_NAME_CHARS, type RankedRequest } from '../game-requests/game-request.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { FORMS } from './addresses.ts';
import { type Fields, sessionForm } from './session-form.ts';

/** How many requests that wait are shown, besides one's own. */
const MOST_SHOWN = 100;

/** The requests for games, in the order in which they are looked at, with a form for another. */
export function requestsSection(state: AccountState, typed: Fields): Html {
  const { session, requests } = state;
  const isOwn = ({ request }: RankedRequest) => request.supporters.includes(session.account.id);
  const isWaiting = ({ request: { status } }: RankedRequest) => status === 'open' || status === 'accepted';
  const first = new Set(requests.filter(isWaiting).slice(0, MOST_SHOWN));
  const shown = requests.filter((ranked) => first.has(ranked) || isOwn(ranked));
  const rows = shown.map((ranked) => describeRequest(state, ranked, isOwn(ranked), isWaiting(ranked)));
  const table = html`<table>
<tr><th scope="col">Game<th scope="col">Status<th scope="col">Supporters<td>
${rows}</table>`;
  const ask = html`<p><label for="name">What the game is called</label><br>
    <input type="text" id="name" name="name" value="${typed.get('name')}" maxlength="${MAX_NAME_CHARS}" required></p>
  <p><label for="link">Its page in a store, https://…</label><br>
    <input type="url" id="link" name="link" value="${typed.get('link')}" maxlength="${MAX_LINK_CHARS}" required></p>
  <p><button>Ask for it</button></p>`;
  return html`<h2 id="requests">Requests for games</h2>
<p>Requests that somebody with Pro supports come first, then those with more supporters, then the older ones. When a game is here, those who
  asked for it get a mail.</p>
${shown.length > 0 ? table : html`<p>Nobody waits for a game.</p>`}
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
    ? [FORMS.withdrawSupport, 'Take back' as const]
    : [FORMS.supportRequest, 'Support' as const];
  const button = html`<button name="id" value="${id}" aria-label="${verb}: ${name}">${verb}</button>`;
  return html`<tr><td>${name}<br><a href="${link}" rel="nofollow noreferrer">${host}</a><td>${status}${there}${said}<td>${supporters.length}<td>${isWaiting ? sessionForm(session, action, button) : undefined}
`;
}
