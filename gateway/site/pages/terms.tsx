import { TERMS } from '../../http/about.ts';
import type { SitePage } from '../site-page.ts';

export const termsPage: SitePage = {
  path: TERMS,
  make: () => ({
    title: 'Terms of use',
    description: 'The terms of use of this API: attribution, keys, what is stored about an account.',
    path: TERMS,
    width: 'text',
    body: (
      <>
        <h1>Terms of use</h1>
        <ul>
          <li>
            Where you show data from this API, attribute it: the text is <code>attribution</code> in{' '}
            <code>/api/games</code>.
          </li>
          <li>
            The games, their names and their content belong to their publishers. This is reference data about
            them, neither made nor endorsed by them.
          </li>
          <li>
            A key is for one account. Keep it out of pages and programs that others can read, except a browser
            key: that is made for pages. You are responsible for what is requested with it.
          </li>
          <li id="pictures">
            Pictures are not ours: where the operator of this gateway allows them, a browser loads them from
            the host that is named beside them. To have one removed, write to the operator with the address of
            the page; <code>/.well-known/security.txt</code> has an address, if the operator gives one.
          </li>
          <li>The data comes as it is, without warranty.</li>
          <li>
            About an account, its email address and what its holder sets are kept until it is deleted.
            Sign-ins and other events, with their networks, are kept for 90 days, deliveries of alerts for 30,
            sessions for an hour. Deletion on the account page deletes all of this. Only the numbers of
            requests, mails and downloads stay for at most a day, under keyed hashes.
          </li>
        </ul>
      </>
    ),
  }),
};
