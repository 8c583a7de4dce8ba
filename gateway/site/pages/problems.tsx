import type { ComponentChildren, JSX } from 'preact';
import { keysOf } from '../../../scripts/format/dist-format.ts';
import { PROBLEMS, type ProblemCode } from '../../http/problem.ts';
import type { SitePage } from '../site-page.ts';

/** What to do about each error. */
const ADVICE: Readonly<Record<ProblemCode, ComponentChildren>> = {
  'invalid-parameter': (
    <>
      A facet, parameter or value is not valid; <code>parameter</code> names it. The dataset{' '}
      <code>facets</code> of a game lists the attributes that its roster can be filtered and sorted by.
    </>
  ),
  'missing-key': (
    <>
      Send your key in the header <code>X-API-Key</code>. It is never read from the address.
    </>
  ),
  'invalid-key': (
    <>The key is mistyped, unknown, expired or revoked. Send one key, exactly as it was issued.</>
  ),
  'invalid-link': (
    <>
      The signed address of a snapshot has expired, or was changed. Request a new one from the snapshot's own
      address with <code>via=link</code>. Or a read-only address was revoked, or does not serve this query:
      make another on <a href="/account">/account</a>.
    </>
  ),
  'invalid-signature': (
    <>The signature or token of a platform's webhook is not the one that this gateway was set up with.</>
  ),
  'cross-site': <>The form was sent by a page of another site. Open the page here, and send it from there.</>,
  'network-not-allowed': (
    <>
      The key has a list of networks, and <code>address</code>, where the request came from, is not in it. Add
      the address to the list on <a href="/account">/account</a>, or use another key.
    </>
  ),
  'origin-not-allowed': (
    <>
      The key is a browser key, and <code>origin</code>, where the request came from, is not in its list, or
      the request has no <code>Origin</code>. Send it from a page of a listed origin, add the origin to the
      key on <a href="/account">/account</a>, or use an ordinary key in programs.
    </>
  ),
  'pro-only': (
    <>
      History, snapshots, diffs and events are for Pro keys. To upgrade, ask the operator of this gateway for
      Pro.
    </>
  ),
  'unknown-game': (
    <>
      <code>/api/games</code> lists all games by slug.
    </>
  ),
  'unknown-dataset': (
    <>
      <code>/api/games</code> lists the datasets of each game.
    </>
  ),
  'unknown-character': <>The game has no character with this id; ids are those of the roster.</>,
  'unknown-record': <>The dataset has no record with this id, or its records have no ids.</>,
  'unknown-build': (
    <>
      The game has no build with this name; <code>/api/{'{game}'}/history</code> lists all.
    </>
  ),
  'not-found': (
    <>
      Nothing is at this address; <code>/openapi.json</code> lists all addresses.
    </>
  ),
  'method-not-allowed': (
    <>
      The API is read-only: GET, HEAD and OPTIONS. Other addresses list their methods in <code>Allow</code>.
    </>
  ),
  'not-acceptable': (
    <>
      <code>Accept</code> names no media type that the address has. <code>types</code> lists those that it
      has; <code>*/*</code> accepts all.
    </>
  ),
  'body-too-large': <>The body is larger than the address accepts.</>,
  'uri-too-long': <>The address is longer than 8 KB; ask for fewer things at once.</>,
  'unsupported-media-type': (
    <>
      The address does not accept the media type of the body; a form is{' '}
      <code>application/x-www-form-urlencoded</code>.
    </>
  ),
  'range-not-satisfiable': (
    <>
      The <code>Range</code> starts after the end of the file; <code>Content-Range</code> has its size in
      bytes.
    </>
  ),
  'headers-too-large': <>The headers are larger than 16 KB together.</>,
  'quota-exceeded': (
    <>
      Your account has used what its tier allows, or a browser key its own caps, in the windows that{' '}
      <code>violated-policies</code> names; try again after <code>Retry-After</code> seconds.{' '}
      <code>RateLimit</code> on every response shows what is left; <code>/api/me</code> shows it without
      counting. <code>bulk</code> and <code>bulk-network</code> are downloads of whole builds by you and by
      your network, <code>conditional</code> requests with <code>If-None-Match</code>.
    </>
  ),
  'too-many-attempts': (
    <>
      Your network sent too many keys, links or read-only addresses that are not valid, and this one is not
      valid either. Valid ones work at any time. Or your key sent too many MCP messages that are charged to
      nobody. Try again after <code>Retry-After</code> seconds.
    </>
  ),
  'too-many-streams': (
    <>
      Your key has as many streams of events open as it may: five, or its part of them if other keys of the
      account have some. One is enough for all games.
    </>
  ),
  'unread-responses': (
    <>
      As many bytes of responses wait for your key or address as may. Read them before you send further
      requests.
    </>
  ),
  unavailable: (
    <>
      The service is not available right now; try again after <code>Retry-After</code> seconds.
    </>
  ),
};

export const problemsPage: SitePage = {
  path: '/problems',
  make: () => ({
    title: 'Error codes',
    description: 'Every error code of the API, and what to do about it.',
    path: '/problems',
    width: 'text',
    body: (
      <>
        <h1>Error codes</h1>
        <p>
          Errors are <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable and for
          programs; <code>detail</code> says what was wrong and what was expected.
        </p>
        <dl class="definitions">
          {keysOf(PROBLEMS).map((code) => describeProblem(code, PROBLEMS[code].status))}
        </dl>
      </>
    ),
  }),
};

function describeProblem(code: ProblemCode, status: number): JSX.Element {
  return (
    <div key={code} id={code}>
      <dt>
        <code>{code}</code> <span class="badge">{status}</span>
      </dt>
      <dd>{ADVICE[code]}</dd>
    </div>
  );
}
