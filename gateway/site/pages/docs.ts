// The guides, the search over them, and the reference of the API.
import { type Content, type Html, html, raw } from '../../http/html.ts';
import { HttpProblem, quote, suggest } from '../../http/problem.ts';
import { type Guide, localizeSamples, readGuides, searchGuides } from '../guides.ts';
import { code, type PageContent } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { fold } from '../parts.ts';

/** The sections of the guides, with their readers. */
const SECTIONS: readonly (readonly [section: string, heading: string])[] = [
  ['consumers', 'Use the API'],
  ['operators', 'Run a gateway'],
  ['maintainers', 'Maintain game data'],
];

/** The guides for newcomers. */
const START = [
  ['/docs/consumers/first-request', 'Send a first request', 'a key needs an email address only'],
  ['/docs/consumers/queries', 'Write a query', 'filters, sorting and comparison'],
  [
    '/docs/consumers/clients#programs-to-copy',
    'Copy a program',
    'a web page, the core of a Discord bot, a script for spreadsheets',
  ],
] as const;
const MAX_RESULTS = 12;
const MAX_WORDS = 100;

export const docsPage: SitePage = {
  path: '/docs',
  relevantQuery(query) {
    const q = (new URLSearchParams(query).get('q') ?? '').trim().slice(0, MAX_WORDS);
    return q === '' ? '' : `q=${encodeURIComponent(q)}`;
  },
  counts: 'queries',
  make({ query }) {
    const q = new URLSearchParams(query).get('q') ?? '';
    return {
      title: 'Documentation',
      description:
        'Guides to the API: keys, queries, search, formats, errors and limits; and to running a gateway of your own.',
      path: '/docs',
      width: 'wide',
      isUnlisted: q !== '',
      body: html`<h1>Documentation</h1>${searchBox(q)}${q !== '' && found(q)}
        <h2 id="start">Start here</h2><ol>${START.map(
          ([path, label, what]) =>
            html`<li><a href="${path}">${label}</a> <span class="small muted">${what}</span></li>`,
        )}</ol>
        <p>Every address, parameter and response is in the <a href="/docs/api">API reference</a>; every error in the
        <a href="/problems">error codes</a>.</p>
        ${SECTIONS.map(
          ([
            section,
            heading,
          ]) => html`<section aria-labelledby="${section}"><h2 id="${section}">${heading}</h2>
          <ul class="cards">${guidesOf(section).map(
            ({
              path,
              title,
              summary,
            }) => html`<li><a class="card" href="${path}"><span class="card-title">${title}</span>
            <span class="small muted">${summary}</span></a></li>`,
          )}</ul></section>`,
        )}`,
    };
  },
};

function searchBox(q: string): Html {
  return html`<search><form class="field-row" action="/docs"><input type="search" name="q" value="${q}" maxlength="${MAX_WORDS}"
    placeholder="Search the guides" aria-label="Search the guides"><button type="submit" class="quiet">Search</button></form></search>`;
}

function found(q: string): Html {
  const parts = searchGuides(
    readGuides().flatMap((guide) => guide.parts),
    q,
  ).slice(0, MAX_RESULTS);
  if (parts.length === 0) return html`<p role="status">Nothing found. Try fewer words.</p>`;
  return html`<ul class="plain-list">${parts.map(
    ({ path, title, heading }) =>
      html`<li><a href="${path}">${heading === '' || heading === title ? title : `${title}: ${heading}`}</a></li>`,
  )}</ul>`;
}

export const guidePage: SitePage = {
  path: '/docs/:section/:guide',
  make: (visit) => guideOf(visit, `/docs/${visit.params.section}/${visit.params.guide}`),
};

function guideOf({ services }: Visit, path: string): PageContent {
  const guides = readGuides();
  const guide = guides.find((each) => each.path === path);
  if (guide === undefined) {
    const near = suggest(
      path,
      guides.map((each) => each.path),
    );
    throw new HttpProblem('not-found', `there is no guide at ${quote(path)}${near}; /docs lists all guides`);
  }
  const { title, summary, headings } = guide;
  return {
    ...{ title, path, width: 'wide', description: `${title}: ${summary}.` },
    body: html`<div class="guide"><nav class="guide-list" aria-label="Guides">${searchBox('')}
      <details data-open-wide><summary>All guides</summary>${SECTIONS.map(
        ([section, heading]) =>
          html`<p class="kicker">${heading}</p>${links(
            guidesOf(section).map((each) => [each.path, each.title, each === guide]),
          )}`,
      )}</details></nav>
      <article class="prose"><p class="crumbs"><a href="/docs">Documentation</a></p>
      ${raw(localizeSamples(guide.html, services.publicUrl()))}</article>
      ${
        headings.length > 1 &&
        html`<nav class="guide-parts" aria-label="On this page"><p class="kicker">On this page</p>${links(
          headings.map(({ id, text }) => [`#${id}`, text, false]),
        )}</nav>`
      }</div>`,
  };
}

function links(all: readonly (readonly [href: string, text: string, isCurrent: boolean])[]): Html {
  return html`<ul class="plain-list">${all.map(
    ([href, text, isCurrent]) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul>`;
}

function guidesOf(section: string): Guide[] {
  return readGuides().filter((guide) => guide.section === section);
}

/** The used part of the OpenAPI document. */
interface OpenApi {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  responses: Record<string, { description?: string }>;
}

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
}

/** The reference of the API, made from `/openapi.json`. */
export const apiReferencePage: SitePage = {
  path: '/docs/api',
  async make({ view, services }) {
    const { info, tags, paths } = await services.data.read<OpenApi>(view, '/openapi.json');
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    const sections = tags
      .map((tag) => ({ ...tag, own: operations.filter((each) => each.tags?.includes(tag.name)) }))
      .filter(({ own }) => own.length > 0);
    return {
      title: 'API reference',
      description: 'Every address, parameter and response of the API.',
      path: '/docs/api',
      width: 'wide',
      body: html`<h1>API reference</h1><p>${marked(info.description)}</p>
        <p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), and <code>/openapi/{game}.json</code> with the
        records of one game. To send requests from here, copy a sample: with a key in this tab, it has your key.</p>
        ${sections.map(
          ({
            name,
            description,
            own,
          }) => html`<section><h2 id="${name.toLowerCase()}">${name}</h2><p>${description}</p>
          ${own.map((each) => operation(each, services.publicUrl()))}</section>`,
        )}`,
    };
  },
};

function operation(
  { path, method, ...given }: Operation & { path: string; method: string },
  origin: string,
): Html {
  const { operationId, summary, description = '', parameters = [], responses } = given;
  const rows = parameters.filter(({ in: place }) => place === 'query' || place === 'path');
  return html`<div id="${operationId}">${fold(
    html`<code>${method.toUpperCase()} ${path}</code> <span class="small muted">${summary}</span>`,
    html`<p>${marked(description)}</p>
      ${
        rows.length > 0 &&
        html`<dl class="rows">${rows.map(
          ({ name, required, description: about = '', schema = {} }) => html`<div><dt><code>${name}</code>
          <small class="muted">${typeOf(schema)}${required === true && ', required'}</small></dt><dd>${marked(about)}</dd></div>`,
        )}</dl>`
      }
      ${method === 'get' && code(`curl -g${path.startsWith('/api/') ? ' -H "X-API-Key: $KEY"' : ''} '${origin}${path}'`)}
      <p class="small">${Object.entries(responses).map(
        ([status, { description: about = '' }]) => html`<span><b>${status}</b> ${marked(about)}</span> `,
      )}</p>`,
  )}</div>`;
}

function typeOf({ type, enum: values, default: usual, minimum, maximum }: Schema): string {
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`;
  const base = values === undefined ? [type].flat().filter(Boolean).join(' or ') : values.join(' or ');
  return base + range + (usual === undefined ? '' : `, ${String(usual)} by default`);
}

/** Shows the text between backticks as code. */
function marked(text: string): Content {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}
