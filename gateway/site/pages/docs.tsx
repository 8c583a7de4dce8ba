import type { JSX } from 'preact';
import { HttpProblem } from '../../http/problem.ts';
import { assetPath } from '../layout/assets.ts';
import { RawHtml } from '../layout/raw-html.tsx';
import { quote, suggest } from '../../http/suggest.ts';
import { type Guide, localizeSamples, readGuides } from '../guides.ts';
import type { PageContent } from '../layout/page-content.ts';
import type { SitePage } from '../site-page.ts';

/** The parts of the guides, and for whom each is. */
const SECTIONS: readonly (readonly [section: string, heading: string])[] = [
  ['consumers', 'Use the API'],
  ['operators', 'Run a gateway'],
  ['maintainers', 'Maintain game data'],
];

/** The way of a newcomer. */
const START = [
  ['/docs/consumers/getting-a-key', 'Get a key', 'an email address is enough'],
  ['/docs/consumers/queries', 'Send your first queries', 'filters, sorting, search and comparison'],
  ['/docs/examples', 'Copy an example', 'a web page, the core of a Discord bot, a script for spreadsheets'],
] as const;

export const docsPage: SitePage = {
  path: '/docs',
  make: () => ({
    title: 'Documentation',
    description:
      'Guides to the API: keys, queries, search, formats, errors and limits; and to running a gateway of your own.',
    path: '/docs',
    width: 'wide',
    islands: ['search-guides'],
    body: (
      <>
        <h1>Documentation</h1>
        <Search />
        <h2 id="start">Start here</h2>
        <ol class="steps">
          {START.map(([path, label, what]) => (
            <li key={path}>
              <a href={path}>{label}</a> <span class="small muted">{what}</span>
            </li>
          ))}
        </ol>
        <p>
          Every address, parameter and response is in the <a href="/docs/api">API reference</a>; every error
          in the <a href="/problems">error codes</a>.
        </p>
        {SECTIONS.map(([section, heading]) => (
          <section key={section} aria-labelledby={section}>
            <h2 id={section}>{heading}</h2>
            <ul class="cards">
              {guidesOf(section).map(({ path, title, summary }) => (
                <li key={path}>
                  <a class="card" href={path}>
                    <span class="card-title">{title}</span>
                    <span class="small muted">{summary}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </>
    ),
  }),
};

/** The programs to copy, with their code. */
export const examplesPage: SitePage = {
  path: '/docs/examples',
  make: ({ services }) => makeGuide('/docs/examples', services.publicUrl()),
};

export const guidePage: SitePage = {
  path: '/docs/:section/:guide',
  make: ({ params, services }) => makeGuide(`/docs/${params.section}/${params.guide}`, services.publicUrl()),
};

function makeGuide(path: string, publicUrl: string): PageContent {
  const guide = readGuides().find((each) => each.path === path);
  if (guide === undefined) throw noSuchGuide(path);
  return {
    title: guide.title,
    description: `${guide.title}: ${guide.summary}.`,
    path,
    width: 'wide',
    islands: ['search-guides'],
    body: <GuideBody guide={{ ...guide, html: localizeSamples(guide.html, publicUrl) }} />,
  };
}

function guidesOf(section: string): Guide[] {
  const isListed = (guide: Guide) =>
    guide.section === section || (section === 'consumers' && guide.section === 'examples');
  return readGuides().filter(isListed);
}

function noSuchGuide(path: string): HttpProblem {
  const near = suggest(
    path,
    readGuides().map((guide) => guide.path),
  );
  return new HttpProblem('not-found', `there is no guide at ${quote(path)}${near}; /docs lists all guides`);
}

/** The search over all guides, which works in the browser. */
function Search(): JSX.Element {
  return (
    <search class="guide-search screen-only with-script" data-index={assetPath('guides.json')}>
      <label for="guide-search">Search the guides</label>
      <input id="guide-search" type="search" autocomplete="off" />
      <div id="guide-results" aria-live="polite" />
    </search>
  );
}

function GuideBody({ guide }: { guide: Guide }): JSX.Element {
  return (
    <div class="guide">
      <nav class="guide-list screen-only" aria-label="Guides">
        <Search />
        <details>
          <summary>All guides</summary>
          {SECTIONS.map(([section, heading]) => (
            <div key={section}>
              <p class="kicker">{heading}</p>
              <ul class="plain-list">
                {guidesOf(section).map(({ path, title }) => (
                  <li key={path}>
                    <a href={path} aria-current={path === guide.path ? 'page' : undefined}>
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </details>
      </nav>
      <article class="guide-text">
        <p class="crumbs">
          <a href="/docs">Documentation</a>
        </p>
        <RawHtml class="prose" html={guide.html} />
      </article>
      {guide.headings.length > 1 && (
        <nav class="guide-parts screen-only" aria-label="On this page">
          <p class="kicker">On this page</p>
          <ul class="plain-list">
            {guide.headings.map(({ id, text }) => (
              <li key={id}>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}
