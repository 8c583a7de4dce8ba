import type { GameBuild } from '../data/game-build.ts';
import { describeOperation, TAGS } from './describe-operation.ts';
import { operationsOf } from './game-operations.ts';
import { HEADERS } from './header-descriptions.ts';
import { ABOUT, SECURITY_SCHEMES } from './openapi.ts';
import type { JsonSchema, Route } from '../api/route.ts';
import { SCHEMAS } from './schemas.ts';

/**
 * Makes the OpenAPI 3.1 document of one game in one build: with the types of its records, its datasets by name, and a parameter for each
 * filter.
 *
 * @param routes all routes; those below a game are described
 */
export function describeGame(
  game: GameBuild,
  routes: readonly Route[],
  version: string,
): Promise<JsonSchema> {
  return makeDocument(game, routes, version);
}

async function makeDocument(game: GameBuild, routes: readonly Route[], version: string): Promise<JsonSchema> {
  const { title, build } = game;
  const { operations, schemas } = await operationsOf(game, routes);
  const paths = Object.fromEntries(
    operations.map((operation) => [
      operation.path.replace(/:(\w+)/g, '{$1}'),
      { get: describeOperation(operation) },
    ]),
  );
  const described = JSON.stringify(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: `${title} (Game Data Read API)`,
      version: `${version}+${build}`,
      description:
        `${title} in its build ${build}: typed records, datasets by name, and a parameter for each filter. A later build may have further ` +
        'attributes and values. The parameter `fields` and the addresses of all games are in /openapi.json.',
      ...ABOUT,
    },
    tags: TAGS.filter(({ name }) => described.includes(`"tags":["${name}"]`)),
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: usedOf(HEADERS, 'headers', described),
      schemas: usedOf({ ...SCHEMAS, ...schemas }, 'schemas', described),
    },
  };
}

/** Returns the components that a text refers to, and those that they refer to. */
function usedOf(
  components: Readonly<Record<string, JsonSchema>>,
  kind: 'headers' | 'schemas',
  text: string,
): Record<string, JsonSchema> {
  const reference = new RegExp(`"#/components/${kind}/([\\w-]+)"`, 'g');
  const used = new Set<string>();
  const visit = (json: string): void => {
    for (const [, name = ''] of json.matchAll(reference)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(JSON.stringify(components[name]));
    }
  };
  visit(text);
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}
