import type { JSX } from 'preact';
import {
  isOpen,
  MAX_LINK_CHARS,
  MAX_NAME_CHARS,
  type RankedRequest,
} from '../../game-requests/game-request.ts';
import type { Session } from '../../accounts/session.ts';
import type { AccountState } from '../account-state.ts';
import { FORMS } from '../addresses.ts';
import { Scrollable } from './scrollable.tsx';
import { Field, type Fields, SessionForm } from './session-form.tsx';

/** The maximum number of waiting requests that are shown, in addition to the account's own. */
const MAX_SHOWN = 100;

/** The section about game requests, by rank, with a form for a new one. */
export function RequestsSection({ state, typed }: { state: AccountState; typed: Fields }): JSX.Element {
  const { session, requests } = state;
  const isOwn = ({ request }: RankedRequest) => request.supporters.includes(session.account.id);
  const isWaiting = ({ request }: RankedRequest) => isOpen(request);
  const first = new Set(requests.filter(isWaiting).slice(0, MAX_SHOWN));
  const shown = requests.filter((ranked) => first.has(ranked) || isOwn(ranked));
  return (
    <>
      <h2 id="requests">Game requests</h2>
      <p>
        Requests with a Pro supporter come first, then those with more supporters, then the older ones. When a
        game is available, the supporters of its request get a mail.
      </p>
      {shown.length > 0 ? (
        <Scrollable label="Game requests" head={['Game', 'Status', 'Votes', '']}>
          {shown.map((ranked) => (
            <RequestRow
              session={session}
              ranked={ranked}
              isOwn={isOwn(ranked)}
              isWaiting={isWaiting(ranked)}
            />
          ))}
        </Scrollable>
      ) : (
        <p>There are no open requests.</p>
      )}
      <SessionForm session={session} action={FORMS.askForGame}>
        <Field
          label="Name of the game"
          type="text"
          id="name"
          name="name"
          value={typed.get('name')}
          maxlength={MAX_NAME_CHARS}
          required
        />
        <Field
          label="Its page in an app store, https://…"
          type="url"
          id="link"
          name="link"
          value={typed.get('link')}
          maxlength={MAX_LINK_CHARS}
          required
        />
        <p>
          <button type="submit">Request the game</button>
        </p>
      </SessionForm>
    </>
  );
}

function RequestRow(props: {
  session: Session;
  ranked: RankedRequest;
  isOwn: boolean;
  isWaiting: boolean;
}): JSX.Element {
  const { id, name, link, status, note, game, supporters } = props.ranked.request;
  const verb = props.isOwn ? 'Withdraw' : 'Support';
  return (
    <tr>
      <td>
        {name}
        <br />
        <a href={link} rel="nofollow noreferrer">
          {new URL(link).hostname}
        </a>
      </td>
      <td>
        {status}
        {status === 'done' && (
          <>
            : <code>{game}</code>
          </>
        )}
        {note !== null && (
          <>
            <br />
            {note}
          </>
        )}
      </td>
      <td>{supporters.length}</td>
      <td>
        {props.isWaiting && (
          <SessionForm
            session={props.session}
            action={props.isOwn ? FORMS.withdrawSupport : FORMS.supportRequest}
          >
            <button type="submit" name="id" value={id} aria-label={`${verb}: ${name}`}>
              {verb}
            </button>
          </SessionForm>
        )}
      </td>
    </tr>
  );
}
