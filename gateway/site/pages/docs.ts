// The guides, and the reference of the API.
import { type Html, html, raw } from '../../http/html.ts';
import { HttpProblem, quote, suggest } from '../../http/problem.ts';
import { GUIDES, localizeSamples } from '../files.ts';
import { marked, sample } from '../layout.ts';
import type { SitePage } from '../page-server.ts';
import { fold } from '../parts.ts';

/** The sections of the guides, with their readers. */
const SECTIONS: readonly (readonly [section: string, heading: string])[] = [
  ['consumers', 'Use the API'],
  ['operators', 'Run a gateway'],
  ['maintainers', 'Maintain game data'],
];

const guidesOf = (section: string) => GUIDES.filter((guide) => guide.section === section);

export const docsPage: SitePage = {
  path: '/docs',
  make: () => ({
    title: 'Documentation',
    description:
      'Guides to the API: keys, queries, search, formats, errors and limits; and to running a gateway of your own.',
    body: html`<h1>Documentation</h1>
      <p>Start with a <a href="/docs/consumers/first-request">first request</a>: a key needs an email address only. Or copy
      <a href="/docs/consumers/clients#programs-to-copy">a program</a>: a web page, the core of a Discord bot, a script for spreadsheets.</p>
      <p>Every address, parameter and response is in the <a href="/docs/api">API reference</a>; every error in the
      <a href="/problems">error codes</a>.</p>
      ${SECTIONS.map(([section, heading]) => {
        const cards = guidesOf(section).map(
          ({ path, title, summary }) => html`
            <li><a class="card" href="${path}"><span class="card-title">${title}</span>
            <span class="small muted">${summary}</span></a></li>`,
        );
        return html`<section aria-labelledby="${section}"><h2 id="${section}">${heading}</h2><ul class="cards">${cards}</ul></section>`;
      })}`,
  }),
};

export const guidePage: SitePage = {
  path: '/docs/:section/:guide',
  make({ params, services }) {
    const path = `/docs/${params.section}/${params.guide}`;
    const guide = GUIDES.find((each) => each.path === path);
    if (guide === undefined) {
      const paths = GUIDES.map((each) => each.path);
      const detail = `there is no guide at ${quote(path)}${suggest(path, paths)}; /docs lists all guides`;
      throw new HttpProblem('not-found', detail);
    }
    const { title, summary, headings } = guide;
    const menu = SECTIONS.map(
      ([section, heading]) => html`<p class="small muted">${heading}</p>${links(guidesOf(section), path)}`,
    );
    const parts = headings.map(({ id, text }) => ({ path: `#${id}`, title: text }));
    return {
      title,
      description: `${title}: ${summary}.`,
      body: html`<div class="guide"><nav class="guide-list" aria-label="Guides">
        <details data-open-wide><summary>All guides</summary>${menu}</details></nav>
        <article class="prose"><p class="crumbs small muted"><a href="/docs">Documentation</a></p>
        ${raw(localizeSamples(guide.html, services.publicUrl()))}</article>
        <nav class="guide-parts" aria-label="On this page"><p class="small muted">On this page</p>${links(parts, path)}</nav></div>`,
    };
  },
};

function links(all: readonly { path: string; title: string }[], current: string): Html {
  return html`<ul class="bare small">${all.map(
    ({ path, title }) =>
      html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${title}</a></li>`,
  )}</ul>`;
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
    // JSON first.
    operations.sort((a, b) => a.path.split('.').length - b.path.split('.').length);
    const sections = tags.map(({ name, description }) => {
      const own = operations.filter((each) => each.tags?.includes(name));
      return (
        own.length > 0 &&
        html`<section><h2 id="${name.toLowerCase()}">${name}</h2><p>${description}</p>
          ${own.map((each) => operation(each, services.publicUrl()))}</section>`
      );
    });
    return {
      title: 'API reference',
      description: 'Every address, parameter and response of the API.',
      body: html`<h1>API reference</h1><p>${marked(info.description)}</p>
        <p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), and <code>/openapi/{game}.json</code> with the
        records of one game. To send requests from here, copy a sample: with a key in this tab, it has your key.</p>
        ${sections}`,
    };
  },
};

function operation(given: Operation & { path: string; method: string }, origin: string): Html {
  const { path, method, operationId, summary, description = '', parameters = [], responses } = given;
  const rows = parameters
    .filter(({ in: place }) => place === 'query' || place === 'path')
    .map(
      ({ name, required, description: about = '', schema = {} }) => html`<div><dt><code>${name}</code>
        <small class="muted">${typeOf(schema)}${required === true && ', required'}</small></dt><dd>${marked(about)}</dd></div>`,
    );
  const statuses = Object.entries(responses).map(
    ([status, { description: about = '' }]) => html`<span><b>${status}</b> ${marked(about)}</span> `,
  );
  return html`<div id="${operationId}">${fold(
    html`<code>${method.toUpperCase()} ${path}</code> <span class="small muted">${marked(summary)}</span>`,
    html`<p>${marked(description)}</p>${rows.length > 0 && html`<dl class="rows small">${rows}</dl>`}
      ${method === 'get' && sample(origin, path)}<p class="small">${statuses}</p>`,
  )}</div>`;
}

function typeOf({ type, enum: values, default: usual, minimum, maximum }: Schema): string {
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`;
  const base = (values ?? [type ?? []].flat()).join(' or ');
  return base + range + (usual === undefined ? '' : `, ${String(usual)} by default`);
}
