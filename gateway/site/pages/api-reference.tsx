import { pageHeaders } from '../../pages/page-headers.ts';
import type { SitePage } from '../site-page.ts';

/** The reference of the API: Scalar shows `/openapi.json`. It makes elements of `style`, which only this page allows. */
export const apiReferencePage: SitePage = {
  path: '/docs/api',
  headers: pageHeaders({
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data:",
    'font-src': "'self'",
  }),
  make: () => ({
    title: 'API reference',
    description: 'Every address, parameter and response of the API, with a console to send requests.',
    path: '/docs/api',
    width: 'full',
    libraries: ['scalar.js'],
    islands: ['api-reference'],
    body: (
      <>
        <noscript>
          <h1>API reference</h1>
          <p class="notice">
            This page needs JavaScript. The same is in <a href="/openapi.json">openapi.json</a> and in{' '}
            <a href="/docs/consumers/queries">the guide</a>.
          </p>
        </noscript>
        <div id="reference" />
      </>
    ),
  }),
};
