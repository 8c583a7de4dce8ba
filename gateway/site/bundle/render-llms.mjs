// Makes /llms.txt and /llms-full.txt (https://llmstxt.org): what the API is, and all guides for people who use it, as text for language models.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

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
  const guides = pages.filter(({ section }) => section === 'consumers' || section === 'examples');
  const linked = new Set(hasSite ? pages.map(({ path: address }) => address) : []);
  const list = guides.map(({ path: address, title, summary }) =>
    hasSite ? `- [${title}](${address}): ${summary}` : `- ${title}: ${summary}`,
  );
  const texts = await Promise.all(
    guides.map(({ path: address }) => readFile(fileOf(folder, address), 'utf8')),
  );
  return {
    short: [ABOUT, `## Guides\n\n${list.join('\n')}\n`, MACHINES].join('\n'),
    full: [ABOUT, MACHINES, ...texts.map((text) => linkGuides(text, linked))].join('\n'),
  };
}

function fileOf(folder, address) {
  const file = address.replace(/^\/docs\//, '');
  return `${path.join(folder, file === 'examples' ? 'examples/README' : file)}.md`;
}

/** Makes links between guides lead to their pages, `queries.md#filters` to `/docs/consumers/queries#filters`. What has no page is text. */
function linkGuides(text, pages) {
  return text.replace(
    /\[([^\]]*)\]\((?!https?:|\/|#)([^)\s#]+)(#[\w-]+)?\)/g,
    (_, title, file, part = '') => {
      const address = path.posix
        .join('/docs/consumers', file)
        .replace(/\.md$/, '')
        .replace(/\/README$/, '');
      return pages.has(address) ? `[${title}](${address}${part})` : title;
    },
  );
}
