// Renders the guides of docs/ as HTML for the pages below /docs, and makes the index that their search loads.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { Marked } from 'marked';

/** The parts of the guides, in the order in which they are listed. */
const SECTIONS = ['consumers', 'operators', 'maintainers'];
const OVERVIEW = 'README.md';
/** The folder of the programs to copy. Its page shows their code. */
const EXAMPLES = 'examples';

/**
 * Renders all guides of a folder.
 *
 * @returns `pages`: `{path, section, title, summary, html, headings: [{id, text}]}`, and `index`: for each heading of a guide, `{path, title, heading, text}`
 */
export async function renderGuides(folder) {
  const files = await fastGlob([...SECTIONS.map((section) => `${section}/*.md`), `${EXAMPLES}/${OVERVIEW}`], {
    cwd: folder,
  });
  const programs = await readPrograms(folder);
  const summaries = readSummaries(await readFile(path.join(folder, OVERVIEW), 'utf8'));
  const order = [...summaries.keys()];
  files.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const guides = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(folder, file), 'utf8');
      const more = file.startsWith(`${EXAMPLES}/`) ? programs : '';
      const { page, entries } = renderGuide(file, text + more, files);
      return { page: { ...page, summary: capitalized(summaries.get(file) ?? '') }, entries };
    }),
  );
  return { pages: guides.map(({ page }) => page), index: guides.flatMap(({ entries }) => entries) };
}

/** Returns what each guide explains, in the order of the overview's tables. */
function readSummaries(overview) {
  const rows = overview.matchAll(/^\| \[[^\]]+\]\(([^)]+\.md)\) \| (.*) \|$/gm);
  return new Map([...rows].map(([, file, summary]) => [file, summary.replaceAll('`', '')]));
}

/** The code of the examples, as the end of their page. */
async function readPrograms(folder) {
  const files = await fastGlob(`${EXAMPLES}/*.{html,mjs,py}`, { cwd: folder });
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
        // A narrow column breaks an address after a slash, and not inside a word.
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
  return { page, entries: indexOf(page, html) };
}

/** Cuts a guide at its headings, for search. */
function indexOf({ path: address, title }, html) {
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
  return `/docs/${file.replace(/\.md$/, '').replace(/\/README$/, '')}`;
}

/** Returns where a link of a guide leads on the site; undefined if the site does not have it, as with the code. */
function targetOf(href, file, files) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [name, fragment] = href.split('#');
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
  if (target === OVERVIEW) return '/docs';
  const program = new RegExp(`^${EXAMPLES}/(.*\\.(?:html|mjs|py))$`).exec(target)?.[1];
  if (program) return `/docs/${EXAMPLES}#${program.replaceAll('.', '')}`;
  if (!files.includes(target)) return undefined;
  return fragment === undefined ? addressOf(target) : `${addressOf(target)}#${fragment}`;
}

/** Makes the id of a heading as GitHub does, so that links to it work in both places. */
function uniqueId(text, headings) {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const same = headings.filter((heading) => heading.id === id || heading.id.startsWith(`${id}-`)).length;
  return headings.some((heading) => heading.id === id) ? `${id}-${same}` : id;
}

function capitalized(text) {
  // A summary may begin with the name of a file.
  return /^\w+\.\w/.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
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
