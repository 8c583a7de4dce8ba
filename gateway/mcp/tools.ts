import type { Json, JsonObject } from '../../scripts/format/dist-format.ts';
import type { Asked } from '../api/api.ts';
import type { Route } from '../api/route.ts';
import { MAX_TARGET_BYTES } from '../http/incoming.ts';
import { HttpProblem, type ProblemCode, quote, suggest } from '../http/problem.ts';
import { OPERATOR_NAMES } from '../query/operators.ts';

/** The arguments of a call, by name; they fit the schema of the tool. */
export type Arguments = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A request of the API that a call stands for: an operation of the OpenAPI document, with the parameters in its path and its query. */
export interface ToolRequest {
  operation: string;
  params?: Readonly<Record<string, string>>;
  query?: Arguments;
}

type Result = Record<string, unknown>;

/** The schema of the arguments of a tool. */
interface Schema {
  [member: string]: Json;
  type: 'object';
  properties: Record<string, JsonObject>;
  required: string[];
}

/** Returns whether a dataset is a list or one object; undefined if there is none. */
export type KindOf = (game: string, dataset: string) => 'list' | 'object' | undefined;

/** A tool for AI agents: one request of the API. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  isPro?: true;
  input: Schema;
  ask(given: Arguments, kindOf: KindOf): ToolRequest;
  /** The list of the result that `offset` and `limit` divide into pages, where the API has no pages. */
  list?(given: Arguments, result: Result): { of: Result; name: string; limit: number } | undefined;
  /** Removes what a model does not need. */
  trim?(result: Result, given: Arguments): void;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const texts = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
const pages = (size: number, of: string): Record<string, JsonObject> => ({
  offset: { type: 'integer', minimum: 0, default: 0, description: '`next_offset` of the page before.' },
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: size, description: `At most so many ${of}.` },
});

const game = text('The slug of a game, such as `genshin-impact`; list_games has all.');
const id = text('The id of a character; search finds it by name.');
const ids = texts('Ids, in this order; search finds them by name.');
const collection = {
  ...text('`characters`, or the key of a dataset as list_games shows it.'),
  default: 'characters',
};
const fields = texts(
  'Only these attributes, by key, such as `name` or `stats.atk`. Choose them: a full record is long.',
);
const lang = text('The language of names and texts, such as `ja`.');
const only = {
  ...text('`stats`: only numbers that grew or fell. `new_units`: only new characters.'),
  enum: ['stats', 'new_units'],
};
const q = text('A name or a part of one, in any language; typing errors are forgiven.');

function schema(properties: Record<string, JsonObject>, ...required: string[]): Tool['input'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

const PAGE = 20;
const str = (value: Arguments[string]) => String(value ?? '');
const inResult = (name: string, limit: number) => (_: Arguments, result: Result) => ({
  of: result,
  name,
  limit,
});

/** How many records of a build are named. */
const MAX_NAMED = 40;

interface Changes {
  added?: unknown[];
  removed?: unknown[];
  changed?: unknown[];
  gained?: unknown[];
  counts?: Record<string, number>;
}

/** Names the characters that a build of a history changed, and counts what it changed in datasets. */
function summarizeBuild({ build, released_at, note, characters, datasets }: Result, kept: unknown): Result {
  const { added = [], removed = [], changed = [] } = characters as Changes;
  const about = { build, released_at, ...(typeof note === 'string' && { note }) };
  if (kept === 'new_units') return { ...about, new_characters: added.slice(0, MAX_NAMED) };
  if (kept === 'stats') return { ...about, changed_characters: changed.flatMap(statsOf).slice(0, MAX_NAMED) };
  const counts = Object.entries(datasets as Record<string, Changes>).map(([key, each]) => {
    const count = (name: 'added' | 'changed' | 'removed' | 'gained') =>
      each.counts?.[name] ?? each[name]?.length ?? 0;
    const fresh = count('added') - count('gained');
    return [key, { new: fresh, changed: count('changed'), removed: count('removed') }] as const;
  });
  return {
    ...about,
    new_characters: added.slice(0, MAX_NAMED),
    changed_characters: changed.slice(0, MAX_NAMED),
    removed_characters: removed.slice(0, MAX_NAMED),
    datasets: Object.fromEntries(counts.filter(([, each]) => Object.values(each).some(Boolean))),
  };
}

/** Keeps of a changed character the stats: in a history its `fields`, in a diff its `changes`. */
function statsOf(unit: unknown): unknown[] {
  const { fields: keys, changes } = unit as { fields?: string[]; changes?: { path: string }[] };
  if (keys) {
    const stats = keys.filter((key) => key.startsWith('stats'));
    return stats.length > 0 ? [{ ...(unit as object), fields: stats }] : [];
  }
  const stats = changes?.filter(({ path }) => path.startsWith('/stats')) ?? [];
  return stats.length > 0 ? [{ ...(unit as object), changes: stats }] : [];
}

/** All tools; those for Pro keys come last. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'list_games',
    title: 'List the games',
    description:
      'Which games there are, with their slugs, current builds and the keys of their datasets, such as banners, weapons or events. The other tools need the slug of a game.',
    input: schema(pages(100, 'games')),
    ask: () => ({ operation: 'listGames' }),
    list: inResult('games', 100),
  },
  {
    name: 'describe_game',
    title: 'Describe the attributes of a game',
    description:
      'What the attributes of the characters of a game, or of one of its datasets, mean: label, unit, type, range and possible values, such as the elements or roles that exist. Call it before you filter, sort or choose attributes.',
    input: schema({ game, collection, ...pages(60, 'attributes') }, 'game'),
    ask: ({ game: slug, collection: key = 'characters' }) => attributesOf(str(slug), str(key)),
    list: inResult('attributes', 60),
  },
  {
    name: 'search',
    title: 'Search by name',
    description:
      'Find the id of a character, weapon or anything else by its name, in any language and over all games, best match first. Use it whenever you know a name and need an id.',
    input: schema({ q, games: texts('Only in these games, by slug.'), lang, ...pages(PAGE, 'results') }, 'q'),
    ask: (query) => ({ operation: 'search', query: { limit: PAGE, ...query } }),
  },
  {
    name: 'get_character',
    title: 'Get a character',
    description:
      'Everything about one character: stats, skills, ascension materials, levels, release. Long: choose attributes with `fields`.',
    input: schema({ game, id, fields, lang }, 'game', 'id'),
    ask: ({ game: slug, id: unit, ...query }) => ({
      operation: 'getCharacter',
      params: { game: str(slug), id: str(unit) },
      query,
    }),
  },
  {
    name: 'compare',
    title: 'Compare characters',
    description:
      'Compare two to six characters side by side: which one has the higher stats, and what differs. One row per attribute with one value per character; `best` has the positions of the largest value.',
    input: schema({ game, ids, lang, ...pages(150, 'rows') }, 'game', 'ids'),
    ask: ({ game: slug, ids: units, lang: language }) => ({
      operation: 'compareCharacters',
      params: { game: str(slug) },
      query: { ids: units, lang: language },
    }),
    list: inResult('fields', 150),
    trim(result) {
      // The rows have every value.
      const characters = result.characters as { id: string; name?: unknown }[];
      result.characters = characters.map(({ id: unit, name }) => ({ id: unit, name }));
    },
  },
  {
    name: 'query_dataset',
    title: 'List characters, or records of a dataset',
    description:
      'List and count characters (all, strongest, of an element, rarity or role), or the records of a dataset (banners, weapons, events, pull rates, pity), with filters and in any order. `total` counts all that match.',
    input: schema(
      {
        game,
        dataset: collection,
        filter: texts(
          `Each an attribute, an operator or none, \`=\` and a value: \`element=Pyro\`, \`rarity[gte]=4\`, \`name[ne]=Amber\`, \`birthday[exists]=true\`. Operators: ${OPERATOR_NAMES.join(', ')}. Different attributes: all hold; the same one again: any of the values.`,
        ),
        q,
        sort: text(
          'Attributes separated by commas, `-` before one for the largest first: `-stats.atk,name`.',
        ),
        ids,
        fields,
        lang,
        ...pages(PAGE, 'records'),
      },
      'game',
    ),
    ask({ game: slug, dataset = 'characters', ...query }, kindOf) {
      const [of, key] = [str(slug), str(dataset)];
      const paged = kindOf(of, key) === 'object' ? query : { limit: PAGE, ...query };
      return key === 'characters'
        ? { operation: 'listCharacters', params: { game: of }, query: paged }
        : { operation: 'getDataset', params: { game: of, dataset: key }, query: paged };
    },
  },
  {
    name: 'patch_history',
    title: 'What patches changed',
    description:
      'What each build (patch, update) of a game changed, newest first: new characters, changed characters, datasets. With `id`: when one character was released, buffed or nerfed, oldest first, value by value.',
    isPro: true,
    input: schema(
      {
        game,
        id: text('A character; without it, the builds of the game.'),
        only,
        ...pages(5, 'builds or changes'),
      },
      'game',
    ),
    ask: ({ game: slug, id: unit, limit = 5, offset }) =>
      unit === undefined
        ? { operation: 'listBuilds', params: { game: str(slug) }, query: { limit, offset } }
        : { operation: 'getTimeline', params: { game: str(slug), id: str(unit) } },
    list: ({ id: unit }, result) =>
      unit === undefined ? undefined : { of: result, name: 'timeline', limit: 5 },
    trim(result, { only: kept }) {
      if (Array.isArray(result.builds))
        result.builds = result.builds.map((build) => summarizeBuild(build, kept));
      // The record of a new character is what get_character returns.
      if (Array.isArray(result.timeline)) for (const entry of result.timeline) delete entry.record;
    },
  },
  {
    name: 'diff_builds',
    title: 'Compare two builds',
    description:
      'The exact differences between any two builds (patches) of a game: what was added, removed and changed between them, with each value before and after.',
    isPro: true,
    input: schema(
      {
        game,
        from: text('The earlier build: its name, or `latest`.'),
        to: text('The later build: its name, or `latest`.'),
        only,
        collection: { ...collection, description: 'The only collection whose changes are shown, in pages.' },
        ...pages(PAGE, 'changed records'),
      },
      ...['game', 'from', 'to'],
    ),
    ask: ({ game: slug, from, to }) => ({
      operation: 'compareBuilds',
      params: { game: str(slug) },
      query: { from, to },
    }),
    trim(result, { only: kept }) {
      if (kept === undefined) return;
      const { added = [], changed = [] } = result.characters as Changes;
      result.characters = kept === 'new_units' ? { added } : { changed: changed.flatMap(statsOf) };
      result.datasets = {};
    },
    list({ collection: key = 'characters' }, result) {
      const datasets = result.datasets as Record<string, Result>;
      const of = key === 'characters' ? (result.characters as Result) : (datasets[str(key)] ?? {});
      if (key === 'characters') result.datasets = Object.keys(datasets);
      else Object.assign(result, { characters: undefined, datasets: { [str(key)]: of } });
      return { of, name: 'changed', limit: PAGE };
    },
  },
  {
    name: 'stat_series',
    title: 'Attributes over builds',
    description:
      'The value of attributes of one character in each build, oldest first, such as its attack over all patches.',
    isPro: true,
    input: schema({ game, id, fields, ...pages(100, 'builds') }, 'game', 'id', 'fields'),
    ask: ({ game: slug, id: unit, fields: keys }) => ({
      operation: 'getSeries',
      params: { game: str(slug), id: str(unit) },
      query: { fields: keys },
    }),
    list: inResult('series', 100),
  },
];

/** Reads the arguments of a call. Numbers and lists may be texts, as some clients send them. @returns them, or what is wrong */
export function readArguments(
  { input: { properties, required } }: Tool,
  given: Record<string, unknown>,
): Arguments | string {
  const names = Object.keys(properties);
  const expected = `Expected: ${names.map((name) => (required.includes(name) ? `${name} (required)` : name)).join(', ') || 'no arguments'}.`;
  const read: Record<string, string | number | readonly string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name)
      ? (properties[name] as { type: string; minimum?: number; maximum?: number })
      : undefined;
    if (!property) return `${quote(name)} is not an argument${suggest(name, names)}. ${expected}`;
    const wrong = (what: string) => `the argument ${name}: expected ${what}. ${expected}`;
    if (property.type === 'array') {
      const list = typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;
      if (!Array.isArray(list) || list.some((each) => typeof each !== 'string' && typeof each !== 'number'))
        return wrong('a list of texts');
      read[name] = list.map(String);
    } else if (property.type === 'integer') {
      const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = property;
      if (typeof number !== 'number' || !Number.isInteger(number) || number < minimum || number > maximum)
        return wrong(`an integer from ${minimum}${property.maximum === undefined ? '' : ` to ${maximum}`}`);
      read[name] = number;
    } else if (typeof value === 'string' || typeof value === 'number') read[name] = String(value);
    else return wrong('a text');
  }
  const missing = required.find((name) => read[name] === undefined);
  return missing === undefined ? read : `the argument ${missing} is missing. ${expected}`;
}

/** What a model can read besides tools: the games, and what the attributes of a collection mean. */
export const RESOURCES = {
  games: {
    uri: 'gamedata://games',
    name: 'games',
    title: 'All games',
    description: 'The games with their current builds and the keys of their datasets.',
    mimeType: 'application/json',
  },
  attributes: {
    uriTemplate: 'gamedata://games/{game}/{collection}/attributes',
    name: 'attributes',
    title: 'The attributes of a collection',
    description:
      'What the attributes of `characters`, or of a dataset by its key, mean, with their types and values.',
    mimeType: 'application/json',
  },
};

/** Returns the request that a resource stands for; undefined if there is none of that address. */
export function findResource(uri: string): ToolRequest | undefined {
  if (uri === RESOURCES.games.uri) return { operation: 'listGames' };
  const [, slug, key] =
    /^gamedata:\/\/games\/([a-z0-9-]{1,64})\/([a-z0-9_]{1,64})\/attributes$/.exec(uri) ?? [];
  return slug === undefined || key === undefined ? undefined : attributesOf(slug, key);
}

function attributesOf(slug: string, key: string): ToolRequest {
  return key === 'characters'
    ? { operation: 'listAttributes', params: { game: slug } }
    : { operation: 'listDatasetAttributes', params: { game: slug, dataset: key } };
}

/** Returns the GET that a request of a tool is. @throws HttpProblem `uri-too-long` */
export function toAsked(
  { operation, params = {}, query = {} }: ToolRequest,
  routes: readonly Route[],
): Asked {
  const route = routes.find(({ operationId }) => operationId === operation);
  if (!route) throw new Error(`no route is called ${operation}`);
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value !== 'object') return [[name, String(value)]];
    const isRepeated = route.parameters.find((each) => each.name === name)?.explode === true;
    return isRepeated ? value.map((each) => [name, each]) : [[name, value.join(',')]];
  });
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
  const length = path.length + search.length;
  if (length > MAX_TARGET_BYTES)
    throw new HttpProblem(
      'uri-too-long',
      `the arguments are too long: as an address they have ${length} bytes, expected at most ${MAX_TARGET_BYTES}`,
    );
  return { route, path, search, params };
}

/** What to try after each error that another call can avoid. */
const NEXT_STEPS: Partial<Record<ProblemCode, string>> = {
  'invalid-parameter': 'Correct it; describe_game lists the attributes of a collection and their values.',
  'pro-only':
    'This tool needs a Pro key. list_games, describe_game, search, get_character, compare and query_dataset work with this key.',
  'unknown-game': 'Call list_games for the slugs of the games.',
  'unknown-dataset': 'Call list_games: it lists the datasets of each game.',
  'unknown-character': 'Call search with the name of the character: it returns ids.',
  'unknown-record': 'Call query_dataset with q to find the id of the record.',
  'unknown-build': 'Call patch_history for the builds of the game, or use latest.',
  'uri-too-long': 'Use fewer ids, fields or filters, or several calls.',
  unavailable: 'Try again in a few seconds.',
};

/** The arguments that an error can be about, the first of which a tool has. */
const ABOUT: Partial<Record<ProblemCode, readonly string[]>> = {
  'unknown-game': ['game'],
  'unknown-dataset': ['dataset', 'collection'],
  'unknown-character': ['id', 'ids'],
  'unknown-build': ['from'],
};

/** Explains an error to a model: its code, which argument was wrong and how, and what to try next. */
export function explainError({ code, message, headers, members }: HttpProblem, tool?: Tool): string {
  const names = Object.keys(tool?.input.properties ?? {});
  const about = [...(ABOUT[code] ?? []), String(members.parameter)].find((name) => names.includes(name));
  const isFilter = code === 'invalid-parameter' && names.includes('filter');
  const argument = about ?? (isFilter ? 'filter' : undefined);
  const where = argument === undefined ? '' : `the argument ${argument}: `;
  const wait = `Wait ${headers['Retry-After'] ?? 60} seconds before the next call.`;
  const next = code === 'quota-exceeded' ? wait : NEXT_STEPS[code];
  return `${code}: ${where}${message.replace(/; \/api\/[^;]*$/, '')}.${next === undefined ? '' : ` ${next}`}`;
}
