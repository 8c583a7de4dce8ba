// Pages of text: the error codes, and the terms of use.
import { type Html, html, raw } from '../../http/html.ts';
import { TERMS } from '../../http/problem.ts';
import { GUIDES } from '../files.ts';
import type { SitePage } from '../page-server.ts';

/** The table of error codes in a guide, each code with its id; without its links, because not every gateway has the guides. */
function errorTable(): Html {
  const all = GUIDES.map((guide) => guide.html).join('');
  const [, table = ''] = /<h2 id="error-codes">.*?<\/h2>(.*?<\/table>\s*<\/div>)/s.exec(all) ?? [];
  return raw(table.replace(/<\/?a\b[^>]*>/g, '').replace(/<tr>(?=\s*<td><code>([\w-]+)<)/g, '<tr id="$1">'));
}

export const problemsPage: SitePage = {
  path: '/problems',
  make: () => ({
    title: 'Error codes',
    description: 'Every error code of the API, and what to do about it.',
    width: 'text',
    body: html`<h1>Error codes</h1>
      <p>Errors are <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable and for programs;
      <code>detail</code> says what was wrong and what was expected.</p>${errorTable()}`,
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
