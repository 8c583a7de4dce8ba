// Pages of text: the error codes, and the terms of use.
import { keysOf } from '../../../scripts/format/dist-format.ts';
import { type Html, html } from '../../http/html.ts';
import { PROBLEMS, statusesOf, TERMS } from '../../http/problem.ts';
import type { SitePage } from '../page-server.ts';

/** What to do about each error. */
const ADVICE: Readonly<Record<string, Html>> = {
  'invalid-parameter': html`A facet, parameter or value is not valid; <code>parameter</code> names it. The dataset
    <code>facets</code> of a game lists the attributes that its roster can be filtered and sorted by.`,
  'missing-key': html`Send your key in the header <code>X-API-Key</code>. It is never read from the address.`,
  'invalid-key': html`The key is mistyped, unknown, expired or revoked. Send one key, exactly as it was issued.`,
  'invalid-link': html`The signed link of a snapshot has expired, or was changed: request a new one with <code>via=link</code>.
    Or a read-only address was revoked, or does not serve this query: make another on <a href="/account">/account</a>.`,
  'origin-not-allowed': html`The key is a browser key, and <code>origin</code>, where the request came from, is not in its list.
    Add it to the key on <a href="/account">/account</a>, or use an ordinary key in programs. Or a page of another site sent a
    form: open the page here, and send it from there.`,
  'pro-only': html`History, snapshots, diffs and events are for Pro keys. To upgrade, ask the operator of this gateway
    for Pro.`,
  'unknown-game': html`<code>/api/games</code> lists all games by slug.`,
  'unknown-dataset': html`<code>/api/games</code> lists the datasets of each game.`,
  'unknown-build': html`The game has no build with this name; <code>/api/{game}/history</code> lists all.`,
  'not-found': html`Nothing is at this address; <code>/openapi.json</code> lists all addresses.`,
  'method-not-allowed': html`The API is read-only: GET, HEAD and OPTIONS. Other addresses list their methods in
    <code>Allow</code>.`,
  'not-acceptable': html`<code>Accept</code> names no media type that the address has. <code>types</code> lists those that it
    has; <code>*/*</code> accepts all. Or the address does not read the media type of the body.`,
  'range-not-satisfiable': html`The <code>Range</code> starts after the end of the file; <code>Content-Range</code> has its size in
    bytes.`,
  'quota-exceeded': html`Your account has used what its tier allows in the windows that <code>violated-policies</code> names; try
    again after <code>Retry-After</code> seconds. <code>RateLimit</code> on every response shows what is left;
    <code>/api/me</code> shows it without counting.`,
  'unknown-character': html`The game has no character with this id; ids are those of the roster.`,
  'unknown-record': html`The dataset has no record with this id, or its records have no ids.`,
  'too-large': html`The body is larger than the address accepts, the address is longer than 8 KB, or the headers are larger than
    16 KB together.`,
  unavailable: html`The service is not available right now; try again after <code>Retry-After</code> seconds.`,
};

export const problemsPage: SitePage = {
  path: '/problems',
  make: () => ({
    title: 'Error codes',
    description: 'Every error code of the API, and what to do about it.',
    width: 'text',
    body: html`<h1>Error codes</h1>
      <p>Errors are <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable and for programs;
      <code>detail</code> says what was wrong and what was expected.</p>
      <dl class="definitions">${keysOf(PROBLEMS).map(
        (code) => html`
        <div id="${code}"><dt><code>${code}</code> <span class="badge">${statusesOf(code).join(' ')}</span></dt>
        <dd>${ADVICE[code] ?? PROBLEMS[code].title}</dd></div>`,
      )}</dl>`,
  }),
};

export const termsPage: SitePage = {
  path: TERMS,
  make: () => ({
    title: 'Terms of use',
    description: 'The terms of use of this API: attribution, keys, what is stored about an account.',
    width: 'text',
    body: html`<h1>Terms of use</h1><ul>
      <li>Where you show data from this API, attribute it: the text is <code>attribution</code> in <code>/api/games</code>.</li>
      <li>The games, their names and their content belong to their publishers. This is reference data about them, neither made
      nor endorsed by them.</li>
      <li>A key is for one account. Keep it out of pages and programs that others can read, except a browser key: that is made
      for pages. You are responsible for what is requested with it.</li>
      <li id="pictures">Pictures are not ours: where the operator of this gateway allows them, a browser loads them, after you
      agreed or at once, from the host that is named beside them. To have one removed, write to the operator with the address
      of the page; <code>/.well-known/security.txt</code> has an address, if the operator gives one.</li>
      <li>The data comes as it is, without warranty.</li>
      <li>About an account, its email address and what its holder sets are kept until it is deleted. Sign-ins and other events,
      with their networks, are kept for 90 days, deliveries of alerts for 30, sessions for an hour. Deletion on the account page
      deletes all of this. Only the numbers of requests, mails and downloads stay for at most a day, under keyed hashes.</li></ul>`,
  }),
};
