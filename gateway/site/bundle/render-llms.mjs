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
 */
export async function renderLlms(folder, pages) {
  const guides = pages.filter(({ section }) => section === 'consumers');
  const list = guides.map(({ path: address, title, summary }) => `- [${title}](${address}): ${summary}`);
  const texts = await Promise.all(
    guides.map(({ path: address }) => readFile(fileOf(folder, address), 'utf8')),
  );
  return {
    short: [ABOUT, `## Guides\n\n${list.join('\n')}\n`, MACHINES].join('\n'),
    full: [ABOUT, MACHINES, ...texts.map(linkGuides)].join('\n'),
  };
}

function fileOf(folder, address) {
  return `${path.join(folder, address.replace(/^\/docs\//, ''))}.md`;
}

/** Makes links between guides lead to their pages: `queries.md#filters` to `/docs/consumers/queries#filters`. */
function linkGuides(text) {
  return text.replace(
    /\]\(([\w-]+)\.md(#[\w-]+)?\)/g,
    (_, name, part = '') => `](/docs/consumers/${name}${part})`,
  );
}
