import type { JSX } from 'preact';
import { TERMS } from '../../http/about.ts';
import { assetPath } from './assets.ts';
import type { Frame, PageContent } from './page-content.ts';

/** The product's name, as titles have it. */
export const PRODUCT = 'Game Data Read API';

/** A link of the header. */
interface NavigationLink {
  path: string;
  label: string;
}

const ACCOUNT: NavigationLink = { path: '/account', label: 'Account' };
const NAVIGATION: readonly NavigationLink[] = [
  { path: '/games', label: 'Games' },
  { path: '/docs', label: 'Docs' },
  { path: '/docs/api', label: 'API' },
  { path: '/#plans', label: 'Pro' },
  { path: '/status', label: 'Status' },
  ACCOUNT,
];

/** The document of a page: its head, header, content and footer. */
export function Layout({ page, frame }: { page: PageContent; frame: Frame }): JSX.Element {
  const { title, width, libraries = [], islands = [], body } = page;
  // What fills a whole page brings its own main element.
  const Main = width === 'full' ? 'section' : 'main';
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === PRODUCT ? title : `${title} – ${PRODUCT}`}</title>
        <Preview page={page} frame={frame} />
        <link rel="icon" href={assetPath('favicon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath('site.css')} />
        {libraries.map((library) => (
          <script key={library} defer src={assetPath(library)} />
        ))}
        {['every-page', ...islands].map((island) => (
          <script key={island} type="module" src={assetPath(`${island}.js`)} />
        ))}
      </head>
      <body>
        <a class="skip-link" href="#content">
          Skip to the content
        </a>
        <Header path={page.path} frame={frame} />
        <Main id="content" class={`page page-${width}`} tabIndex={-1}>
          {body}
        </Main>
        <Footer hasSite={frame.hasSite} />
      </body>
    </html>
  );
}

/** What search engines and previews of links show. */
function Preview({ page, frame }: { page: PageContent; frame: Frame }): JSX.Element {
  const { title, description, subject, path, isUnlisted = false } = page;
  if (description === undefined) return <meta name="robots" content="noindex" />;
  const url = path === '' || frame.publicUrl === undefined ? undefined : frame.publicUrl() + path;
  return (
    <>
      <meta name="description" content={description} />
      {isUnlisted && <meta name="robots" content="noindex" />}
      {url !== undefined && <link rel="canonical" href={url} />}
      {url !== undefined && <meta property="og:url" content={url} />}
      <meta property="og:site_name" content={PRODUCT} />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta name="twitter:card" content="summary" />
      {subject && (
        <script
          type="application/ld+json"
          // A text of the data cannot end the script.
          dangerouslySetInnerHTML={{
            __html: JSON.stringify({ ...subject, ...(url !== undefined && { url }) }).replaceAll(
              '<',
              '\\u003c',
            ),
          }}
        />
      )}
    </>
  );
}

function Header({ path, frame: { hasSite, hasSearch } }: { path: string; frame: Frame }): JSX.Element {
  const links = hasSite ? NAVIGATION : [ACCOUNT];
  return (
    <header class="site-header">
      <a class="brand" href={hasSite ? '/' : ACCOUNT.path}>
        <svg class="brand-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <rect x="2" y="4" width="20" height="4" rx="1" />
          <rect x="2" y="10" width="13" height="4" rx="1" />
          <rect x="2" y="16" width="17" height="4" rx="1" />
        </svg>
        Game Data
      </a>
      {hasSearch && (
        <search class="site-search">
          <form action="/search">
            <input
              id="site-search"
              type="search"
              name="q"
              maxLength={100}
              required
              autocomplete="off"
              placeholder="Search all games"
              aria-label="Search all games, in any language"
            />
          </form>
        </search>
      )}
      <nav aria-label="Main">
        <ul>
          {links.map((link) => (
            <li key={link.path}>
              <a href={link.path} aria-current={currentState(link, path)}>
                {link.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

function Footer({ hasSite }: { hasSite: boolean }): JSX.Element {
  return (
    <footer class="site-footer">
      <p>The games, their names and their content belong to their publishers.</p>
      <ul>
        <li>
          <a href={TERMS}>Terms</a>
        </li>
        <li>
          <a href="/problems">Error codes</a>
        </li>
        {hasSite && (
          <>
            <li>
              <a href="/contents">What each game has</a>
            </li>
            <li>
              <a href="/openapi.json">OpenAPI</a>
            </li>
          </>
        )}
      </ul>
    </footer>
  );
}

/** Returns the state of a link: of the page itself, of a page above it, or of neither. */
function currentState({ path: link }: NavigationLink, path: string): 'page' | 'true' | undefined {
  if (path === link) return 'page';
  const nearest = NAVIGATION.filter((each) => path.startsWith(`${each.path}/`)).sort(
    (a, b) => b.path.length - a.path.length,
  )[0];
  return nearest?.path === link && !NAVIGATION.some((each) => each.path === path) ? 'true' : undefined;
}
