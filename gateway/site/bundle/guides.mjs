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
const WITH_PROGRAMS = '/docs/consumers/clients';

/** Renders all guides of a folder. @returns `[{path, section, title, summary, text, html, headings: [{id, text}]}]` */
export async function renderGuides(folder) {
  const names = Object.entries(GUIDES).flatMap(([section, all]) => all.map((name) => [section, name]));
  const paths = names.map((name) => `/docs/${name.join('/')}`);
  const programs = await readPrograms(folder);
  return await Promise.all(
    names.map(async ([section, name], at) => {
      const text = await readFile(path.join(folder, section, `${name}.md`), 'utf8');
      const whole = paths[at] === WITH_PROGRAMS ? text + programs : text;
      const [, title, paragraph] = /^# (.+)\n\n((?:.+\n)+)/.exec(text);
      const summary = plainText(paragraph).split(/[.:](?: |$)/)[0];
      return { path: paths[at], section, title, summary, text, ...renderGuide(whole, paths[at], paths) };
    }),
  );
}

/** The code of the example programs, for the end of their page. */
async function readPrograms(folder) {
  const files = await fastGlob('examples/*.{html,mjs,py}', { cwd: folder });
  const texts = files.sort().map(async (file) => {
    const code = await readFile(path.join(folder, file), 'utf8');
    return `\n## ${path.basename(file)}\n\n\`\`\`\`\n${code.trimEnd()}\n\`\`\`\`\n`;
  });
  return (await Promise.all(texts)).join('');
}

function renderGuide(text, address, paths) {
  const headings = [];
  const renderer = {
    heading({ tokens, depth, text: words }) {
      const html = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1>${html}</h1>\n`;
      const id = idOf(words);
      if (depth === 2) headings.push({ id, text: plainText(words) });
      return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      const html = this.parser.parseInline(tokens);
      const target = targetOf(href, address, paths);
      return target === undefined ? html : `<a href="${target}">${html}</a>`;
    },
    // A narrow column breaks an address after a slash, not inside a word.
    tablecell({ header, tokens }) {
      const html = this.parser.parseInline(tokens);
      const broken = html.replace(/(?<=<code>)[^<]+/g, (code) => code.replace(/(?<=.)\//g, '/<wbr>'));
      return header && html !== '' ? `<th scope="col">${broken}</th>` : `<td>${broken}</td>`;
    },
    html: ({ text: comment }) => (comment.startsWith('<!--') ? '' : escapeHtml(comment)),
  };
  const html = new Marked({ renderer })
    .parse(text)
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { html, headings };
}

/** Returns the target of a guide's link on the site; undefined if the site does not have it, such as source code. */
function targetOf(href, address, paths) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `http://docs${address}`);
  const [, program] = /^\/docs\/examples\/(.+)/.exec(pathname) ?? [];
  if (program) return `${WITH_PROGRAMS}#${idOf(program)}`;
  const target = pathname.replace(/\.md$/, '');
  return paths.includes(target) ? target + hash : undefined;
}

/** Makes the id of a heading like GitHub does, so that links to it work in both places. */
function idOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Returns the words of a Markdown text. */
function plainText(text) {
  return withoutLinks(text).replaceAll('`', '').replace(/\s+/g, ' ').trim();
}

function withoutLinks(text) {
  return text.replace(/\[([^\]]*)\]\((?!https?:|\/|#)[^)]*\)/g, '$1');
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

/** Renders both texts for language models. @param guides what `renderGuides` returns */
export function renderLlms(guides) {
  const own = guides.filter(({ section }) => section === 'consumers');
  const list = own.map(({ path: address, title, summary }) => `- [${title}](${address}): ${summary}`);
  return {
    'llms.txt': [ABOUT, `## Guides\n\n${list.join('\n')}\n`, MACHINES].join('\n'),
    'llms-full.txt': [ABOUT, MACHINES, ...own.map(({ text }) => withoutLinks(text))].join('\n'),
  };
}

/** The feed library needs absolute addresses. This base is removed again, so that they are relative to the gateway that serves the feed. */
const BASE = 'https://gateway.invalid';

/**
 * Renders the feed of changes: one entry per item of the changelog, whose id stays until its text changes, with the day of its release.
 *
 * @param unreleased when what is not released changed last
 */
export function renderChanges(changelog, unreleased) {
  const link = `${BASE}/llms-full.txt`;
  const feed = new Feed({
    id: 'urn:x-game-data-read-api:changes',
    title: 'Game Data Read API: changes',
    link,
    feedLinks: { atom: `${BASE}/changes.atom` },
    generator: 'Game Data Read API',
    author: { name: 'Game Data Read API' },
  });
  let date = unreleased;
  for (const [, day, item] of changelog.matchAll(/^## .*?(\d{4}-\d\d-\d\d)?$|^- (.*(?:\n {2}.*)*)/gm)) {
    if (day) date = new Date(day);
    if (!item) continue;
    const text = plainText(item);
    const id = `urn:sha256:${createHash('sha256').update(text).digest('hex')}`;
    const content = `<p>${escapeHtml(text)}</p>`;
    feed.addItem({ id, title: text.slice(0, 120), link, date, content });
    feed.options.updated ??= date;
  }
  return feed.atom1().replaceAll(BASE, '');
}
