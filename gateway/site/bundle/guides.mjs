// Renders docs/ and CHANGELOG.md when the code is compiled: the guides as HTML for the pages below /docs, /llms.txt and /llms-full.txt
// (https://llmstxt.org), and /changes.atom (RFC 4287).
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { Feed } from 'feed';
import { Marked } from 'marked';

/** The guides in the order of their overview. */
const GUIDES = {
  consumers: ['first-request', 'queries', 'search', 'history', 'tables', 'clients', 'keys', 'pro'],
  operators: ['running', 'settings', 'stores', 'night'],
  maintainers: ['first-game', 'mapping', 'formats', 'patch-day', 'checks'],
};
/** The guide that ends with the code of the example programs. */
const WITH_PROGRAMS = 'consumers/clients.md';
const PROGRAMS = 'examples';

/**
 * Renders all guides of a folder.
 *
 * @returns `[{path, section, title, summary, html, headings: [{id, text}], parts: [{path, title, heading, text}]}]`
 */
export async function renderGuides(folder) {
  const files = Object.entries(GUIDES).flatMap(([section, names]) =>
    names.map((name) => `${section}/${name}.md`),
  );
  const programs = await readPrograms(folder);
  return await Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(folder, file), 'utf8');
      const guide = renderGuide(file, file === WITH_PROGRAMS ? text + programs : text, files);
      return { ...guide, summary: summaryOf(text) };
    }),
  );
}

/** The first sentence below the title, without its full stop. */
function summaryOf(text) {
  const [, paragraph = ''] = /^# .+\n\n((?:.+\n)+)/.exec(text) ?? [];
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  return plain.replace(/\s+/g, ' ').split(/[.:](?: |$)/)[0] ?? '';
}

/** The code of the example programs, for the end of their page. */
async function readPrograms(folder) {
  const files = await fastGlob(`${PROGRAMS}/*.{html,mjs,py}`, { cwd: folder });
  const texts = await Promise.all(
    files.sort().map(async (file) => {
      const code = await readFile(path.join(folder, file), 'utf8');
      return `\n## ${path.basename(file)}\n\n\`\`\`\`\n${code.trimEnd()}\n\`\`\`\`\n`;
    }),
  );
  return texts.join('');
}

function renderGuide(file, text, files) {
  const address = addressOf(file);
  const headings = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const plain = plainText(html);
        const id = uniqueId(plain, headings);
        headings.push({ id, text: plain, depth });
        return depth === 1
          ? `<h1>${html}</h1>\n`
          : `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const target = targetOf(href, file, files);
        return target === undefined ? html : `<a href="${escapeHtml(target)}">${html}</a>`;
      },
      table(token) {
        // A narrow column breaks an address after a slash, not inside a word.
        const inline = ({ tokens }) =>
          this.parser
            .parseInline(tokens)
            .replace(/(?<=<code>)[^<]+/g, (address) => address.replace(/(?<=.)\//g, '/<wbr>'));
        const head = token.header.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('');
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`,
        );
        return `<div class="scroll" role="group" tabindex="0" aria-label="Table"><table><thead><tr>${head}</tr></thead>\n<tbody>${rows.join('\n')}</tbody></table></div>\n`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`;
      },
      html({ text: raw }) {
        return raw.startsWith('<!--') ? '' : escapeHtml(raw);
      },
    },
  });
  const html = marked.parse(text);
  const [title, ...rest] = headings;
  const page = {
    path: address,
    section: file.split('/')[0],
    title: title.text,
    html,
    headings: rest.filter(({ depth }) => depth === 2).map(({ id, text: words }) => ({ id, text: words })),
  };
  return { ...page, parts: partsOf(page, html) };
}

/** Splits a guide at its headings, for search. */
function partsOf({ path: address, title }, html) {
  return html.split(/(?=<h[1-3][ >])/).map((part) => {
    const id = /^<h[23] id="([^"]+)"/.exec(part)?.[1];
    const [head = '', ...rest] = part.split(/<\/h[1-3]>/);
    return {
      path: id === undefined ? address : `${address}#${id}`,
      title,
      heading: plainText(head),
      text: plainText(rest.join(' ')),
    };
  });
}

function addressOf(file) {
  return `/docs/${file.replace(/\.md$/, '')}`;
}

/** Returns the target of a guide's link on the site; undefined if the site does not have it, such as source code. */
function targetOf(href, file, files) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [name, fragment] = href.split('#');
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
  const program = new RegExp(`^${PROGRAMS}/(.*\\.(?:html|mjs|py))$`).exec(target)?.[1];
  if (program) return `${addressOf(WITH_PROGRAMS)}#${program.replaceAll('.', '')}`;
  if (!files.includes(target)) return undefined;
  return fragment === undefined ? addressOf(target) : `${addressOf(target)}#${fragment}`;
}

/** Makes the id of a heading like GitHub does, so that links to it work in both places. */
function uniqueId(text, headings) {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const same = headings.filter((heading) => heading.id === id || heading.id.startsWith(`${id}-`)).length;
  return headings.some((heading) => heading.id === id) ? `${id}-${same}` : id;
}

function plainText(html) {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(lt|gt|quot|amp|#39);/g,
      (_, name) => ({ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" })[name],
    )
    .replace(/\s+/g, ' ')
    .trim();
}

function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const ABOUT = `# Game Data Read API

> Reference data of mobile games: characters and datasets as JSON over HTTP, with an attribute dictionary, search in many languages and, for Pro keys, what each build changed.

Every address below /api/ needs an API key in the header X-API-Key. Free keys see builds 24 hours after their release, and have 10 requests a minute and 200 a day.
Parameters that an address does not have are errors. Errors are application/problem+json with a stable code and a detail that says what was expected.
`;

const MACHINES = `## For programs

- [OpenAPI document](/openapi.json): all addresses, parameters, responses and errors
- [OpenAPI document of one game](/openapi/{game}.json): typed records and named filters of one game; {game} is a slug of /api/games
- [Model Context Protocol](/mcp): the same data as tools for AI agents, by POST
- [All guides in one file](/llms-full.txt)
`;

/**
 * Renders both files.
 *
 * @param folder docs/
 * @param pages what `renderGuides` returns
 * @param hasSite whether there are pages to link to
 */
export async function renderLlms(folder, pages, hasSite) {
  const guides = pages.filter(({ section }) => section === 'consumers');
  const linked = new Set(hasSite ? pages.map(({ path: address }) => address) : []);
  const list = guides.map(({ path: address, title, summary }) =>
    hasSite ? `- [${title}](${address}): ${summary}` : `- ${title}: ${summary}`,
  );
  const fileOf = (address) => path.join(folder, `${address.replace(/^\/docs\//, '')}.md`);
  const texts = await Promise.all(guides.map(({ path: address }) => readFile(fileOf(address), 'utf8')));
  return {
    short: [ABOUT, `## Guides\n\n${list.join('\n')}\n`, MACHINES].join('\n'),
    full: [ABOUT, MACHINES, ...texts.map((text) => linkGuides(text, linked))].join('\n'),
  };
}

/**
 * Rewrites links between guides to their pages: `queries.md#filters` becomes `/docs/consumers/queries#filters`. A link without a page becomes text.
 */
function linkGuides(text, pages) {
  return text.replace(
    /\[([^\]]*)\]\((?!https?:|\/|#)([^)\s#]+)(#[\w-]+)?\)/g,
    (_, title, file, part = '') => {
      const address = path.posix.join('/docs/consumers', file).replace(/\.md$/, '');
      return pages.has(address) ? `[${title}](${address}${part})` : title;
    },
  );
}

/** The feed library needs absolute addresses. This base is removed again, so that they are relative to the gateway that serves the feed. */
const BASE = 'https://gateway.invalid';

/** Renders the feed of changes: one entry per item of the changelog, whose id stays until its text changes. */
export function renderChanges(changelog, hasSite) {
  const link = `${BASE}${hasSite ? '/docs/consumers/clients#when-something-changes' : '/llms-full.txt'}`;
  const feed = new Feed({
    id: 'urn:x-game-data-read-api:changes',
    title: 'Game Data Read API: changes',
    link,
    feedLinks: { atom: `${BASE}/changes.atom` },
    generator: 'Game Data Read API',
    author: { name: 'Game Data Read API' },
    updated: new Date(0),
  });
  for (const [, item] of changelog.matchAll(/^- (.*(?:\n {2}.*)*)/gm)) {
    const text = item
      .replace(/\s+/g, ' ')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('`', '');
    const id = `urn:sha256:${createHash('sha256').update(text).digest('hex')}`;
    feed.addItem({
      id,
      title: text.slice(0, 120),
      link,
      date: new Date(0),
      content: `<p>${escapeHtml(text)}</p>`,
    });
  }
  return feed.atom1().replaceAll(BASE, '');
}
