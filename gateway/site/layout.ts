// The layout of all pages, and the page of an error.
import { readFileSync } from 'node:fs';
import { type Content, type Html, html, sendHtml } from '../http/html.ts';
import type { PageFrame } from '../http/incoming.ts';
import { type HttpProblem, TERMS } from '../http/problem.ts';
import { NearProblem } from './data.ts';

/** The product's name in titles. */
export const PRODUCT = 'Game Data Read API';

/** The content of a page inside the common layout. */
export interface PageContent {
  /** The title in the browser, without the product's name. */
  title: string;
  /** A sentence for search engines and previews; without it, the page is not indexed. */
  description?: string | undefined;
  /** Whether search engines must not index it, although it has a description. */
  isUnlisted?: boolean;
  /** `text` for a column of text; by default, as wide as tables need. */
  width?: 'text' | 'wide';
  /** The scripts of the page, besides that of all pages: `explore`. */
  scripts?: readonly string[];
  /** The hosts of its pictures. */
  pictureHosts?: readonly string[] | undefined;
  /** The content, with one `h1`. */
  body: Html;
  /** Set if the page reports an error: its status, and the response for programs. */
  problem?: HttpProblem | undefined;
}

/** The properties of a gateway that the layout depends on. */
export interface Frame {
  /** Whether the gateway has the pages of the site, which the layout links to. */
  hasSite: boolean;
  /** Where people reach the gateway, without a path. */
  publicUrl: () => string;
}

const NAVIGATION: readonly (readonly [path: string, label: string])[] = [
  ['/games', 'Games'],
  ['/docs', 'Docs'],
  ['/docs/api', 'API'],
  ['/#plans', 'Pro'],
  ['/status', 'Status'],
  ['/account', 'Account'],
];

const assets: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('./assets.json', import.meta.url), 'utf8'),
);

/** Returns the address of an asset by its name without the hash, `site.css`. */
export const assetPath = (name: string) => String(assets[name]);

/** @param path of the page itself, whose link in the navigation is marked */
export function renderPage(page: PageContent, path: string, frame: Frame): string {
  const { title, width = 'wide', scripts = [], body } = page;
  const { hasSite } = frame;
  const links = hasSite ? NAVIGATION : NAVIGATION.slice(-1);
  const document = html`<html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title === PRODUCT ? title : `${title} – ${PRODUCT}`}</title>
    ${preview(page, frame.publicUrl() + path)}
    <link rel="icon" href="${assetPath('favicon.svg')}" type="image/svg+xml">
    <link rel="stylesheet" href="${assetPath('site.css')}">
    ${['site', ...scripts].map((name) => html`<script type="module" src="${assetPath(`${name}.js`)}"></script>`)}
    </head><body>
    <a class="skip-link" href="#content">Skip to the content</a>
    <header class="site-header row">
    <a class="brand row" href="${hasSite ? '/' : '/account'}">
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <path d="M2 4h20v4H2zM2 10h13v4H2zM2 16h17v4H2z"/></svg>Game Data</a>
    ${hasSite && searchForm('site-search')}
    <nav aria-label="Main"><ul class="row bare">${links.map(
      ([href, label]) => html`<li><a href="${href}"${currentState(href, path)}>${label}</a></li>`,
    )}</ul></nav></header>
    <main id="content" class="page page-${width}" tabindex="-1">${body}</main>
    <footer class="site-footer row small muted"><p>The games, their names and their content belong to their publishers.</p>
    <ul class="row bare"><li><a href="${TERMS}">Terms</a></li><li><a href="/problems">Error codes</a></li>
    ${hasSite && html`<li><a href="/contents">What each game has</a></li><li><a href="/openapi.json">OpenAPI</a></li>`}
    </ul></footer></body></html>`;
  return `<!doctype html>\n${document}\n`;
}

/** The search over all games. A script shows the first results while the reader types. */
export function searchForm(id: string, placeholder = 'Search all games', value = ''): Html {
  return html`<search class="search"><form action="/search"><input id="${id}" type="search" name="q" value="${value}"
    maxlength="100" required autocomplete="off" placeholder="${placeholder}" data-suggest="/search?part=suggestions"
    aria-label="Search all games, in any language"></form></search>`;
}

/** The metadata for search engines and previews of links. */
function preview({ title, description, isUnlisted }: PageContent, url: string): Html {
  const hidden = html`<meta name="robots" content="noindex">`;
  if (description === undefined) return hidden;
  const properties = { url, site_name: PRODUCT, type: 'website', title, description };
  return html`<meta name="description" content="${description}">${isUnlisted && hidden}
    <link rel="canonical" href="${url}">
    ${Object.entries(properties).map(([name, value]) => html`<meta property="og:${name}" content="${value}">`)}`;
}

/** Marks a link of the header that leads to the page itself or to a page above it. */
function currentState(link: string, path: string): Html | false {
  if (path === link) return html` aria-current="page"`;
  const above = NAVIGATION.findLast(([each]) => path === each || path.startsWith(`${each}/`));
  return above?.[0] === link && html` aria-current="true"`;
}

/** Makes the layout of all pages, for pages that other rooms send. */
export function pageFrame(frame: Frame): PageFrame {
  return {
    render({ title, path, width, islands, body }) {
      const whole = html`<h1>${title}</h1><div class="prose">${body}</div>`;
      return renderPage({ title, width, scripts: islands, body: whole }, path, frame);
    },
    sendProblem(request, response, problem) {
      const { status, headers } = problem;
      sendHtml(request, response, {
        status,
        headers,
        html: renderPage(problemPage(problem, frame), '', frame),
      });
    },
  };
}

/** Writes a text as the beginning of a sentence. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The page of a problem: what was wrong, and what is near. */
function problemPage(problem: HttpProblem, { hasSite }: Frame): PageContent {
  const { code, message, status } = problem;
  const title = String(problem.toJSON().title);
  const isLost = hasSite && status === 404;
  const lost: NearProblem['near'] = isLost ? [['/games', 'All games']] : [];
  const near = problem instanceof NearProblem ? problem.near : lost;
  const links = near.map(([href, name]) => html`<li><a href="${href}">${name}</a></li>`);
  return {
    title,
    width: 'text',
    body: html`<p class="small muted">Error ${status}</p><h1>${title}</h1>
      <p>${capital(message.replace(/; \/openapi\.json.*/, ''))}.</p>
      ${isLost && searchForm('lost-search')}
      ${near.length > 0 && html`<h2>What is there</h2><ul class="row bare">${links}</ul>`}
      <p class="muted">Programs get this error as JSON with the code <a href="/problems#${code}">${code}</a>.</p>`,
  };
}

/** A request to the API, ready to copy, in a block that scrolls if it is too wide. @param path with its query */
export function sample(publicUrl: string, path: string): Html {
  const key = path.startsWith('/api/') ? ' -H "X-API-Key: $KEY"' : '';
  return html`<pre tabindex="0"><code>curl -g${key} '${publicUrl}${path}'</code></pre>`;
}

/** A table that scrolls inside the page if it is too wide, also by keyboard. */
export function scroll(label: string, table: Content): Html {
  return html`<div class="scroll" role="group" tabindex="0" aria-label="${label}">${table}</div>`;
}

/** Shows the text between backticks as code. */
export function marked(text: string): Content {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}
