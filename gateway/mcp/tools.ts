// biome-ignore-all format: an argument, a tool and a prompt are read as tables
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import type { Asked } from '../api/api.ts';
import type { Route } from '../api/route.ts';
import type { GameBuild } from '../data/game-build.ts';
import { MAX_TARGET_BYTES } from '../http/incoming.ts';
import { type HttpProblem, type ProblemCode, quote, suggest, tooLarge } from '../http/problem.ts';
import { OPERATOR_NAMES } from '../query/list-query.ts';

/** The arguments of a call by name; they match the schema of the tool. */
export type Arguments = Readonly<Record<string, string | number | readonly string[] | undefined>>;
export type Result = Record<string, unknown>;

/** A tool for AI agents: one request of the API. Its arguments are the parameters of the operation, and those that `shape` reads. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  isPro?: true;
  input: Record<string, JsonObject>;
  required?: readonly string[];
  operation: string | ((given: Arguments) => string);
  /** The list of the result that `offset` and `limit` divide into pages, if the API does not. */
  rows?: string;
  /** Reduces a result to what a model needs. @returns the object with `rows`, if it is not the result itself */
  shape?(result: Result, given: Arguments): Result | undefined;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const level = (description: string): JsonObject => ({ type: 'integer', minimum: 1, maximum: 999, description });
const texts = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description });
const pages = (size: number, of: string): Record<string, JsonObject> => ({
  offset: { type: 'integer', minimum: 0, default: 0, description: '`next_offset` of the page before.' },
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: size, description: `At most so many ${of}.` },
});
const game = text('The slug of a game, such as `genshin-impact`; list_games has all.');
const id = text('The id of a character; search finds it by name.');
const ids = texts('Ids, in this order; search finds them by name.');
const collection = { ...text('`characters`, or the key of a dataset as list_games shows it.'), default: 'characters' };
const fields = texts('Only these attributes, by key, such as `name` or `stats.atk`. Choose them: a full record is long.');
const lang = text('The language of names and texts, such as `ja`.');
const only = { ...text('`stats`: only numbers that grew or fell. `new_units`: only new characters.'), enum: ['stats', 'new_units'] };
const q = text('A name or a part of one, in any language; typing errors are forgiven.');
const filter = texts(`Each an attribute, an operator or none, \`=\` and a value: \`element=Pyro\`, \`rarity[gte]=4\`, \`name[ne]=Amber\`, \`birthday[exists]=true\`. Operators: ${OPERATOR_NAMES.join(', ')}. Different attributes: all hold; the same one again: any of the values.`);

const isRoster = ({ collection: key, dataset = key }: Arguments) => dataset === undefined || dataset === 'characters';

/** All tools; those for Pro keys come last. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'list_games', title: 'List the games', operation: 'listGames', rows: 'games', input: pages(100, 'games'),
    description: 'Which games there are, with their slugs, current builds and the keys of their datasets, such as banners, weapons or events. The other tools need the slug of a game.',
  },
  {
    name: 'describe_game', title: 'Describe the attributes of a game', rows: 'attributes', required: ['game'],
    description: 'What the attributes of the characters of a game, or of one of its datasets, mean: label, unit, type, range and possible values, such as the elements or roles that exist. Call it before you filter, sort or choose attributes.',
    operation: (given) => (isRoster(given) ? 'listAttributes' : 'listDatasetAttributes'),
    input: { game, collection, ...pages(60, 'attributes') },
  },
  {
    name: 'search', title: 'Search by name', operation: 'search', required: ['q'],
    description: 'Find the id of a character, weapon or anything else by its name, in any language and over all games, best match first. Use it whenever you know a name and need an id.',
    input: { q, games: texts('Only in these games, by slug.'), lang, ...pages(20, 'results') },
  },
  {
    name: 'get_character', title: 'Get a character', operation: 'getCharacter', required: ['game', 'id'], input: { game, id, fields, lang },
    description: 'Everything about one character: stats, skills, ascension materials, levels, release. Long: choose attributes with `fields`.',
  },
  {
    name: 'get_costs', title: 'What it costs to raise a character', operation: 'getCosts', required: ['game', 'id'],
    description: 'The materials that ascensions, levels and skills of a character take, in total and by list: farming lists, "how much Mora to level 90".',
    input: { game, id, from: level('The level at which it is now.'), to: level('The level that it is to reach.'), talents: texts('The level that each skill is raised to: `10,10,8`.'), lang },
  },
  {
    name: 'compare', title: 'Compare characters', operation: 'compareCharacters', rows: 'fields', required: ['game', 'ids'],
    description: 'Compare two to six characters side by side: which one has the higher stats, and what differs. One row per attribute with one value per character; `best` has the positions of the largest value.',
    input: { game, ids, lang, ...pages(150, 'rows') },
    shape(result) {
      // The rows contain every value.
      const characters = result.characters as { id: string; name?: unknown }[];
      result.characters = characters.map(({ id: unit, name }) => ({ id: unit, name }));
      return undefined;
    },
  },
  {
    name: 'query_dataset', title: 'List characters, or records of a dataset', required: ['game'],
    description: 'List and count characters (all, strongest, of an element, rarity or role), or the records of a dataset (banners, weapons, events, pull rates, pity), with filters and in any order. `total` counts all that match.',
    operation: (given) => (isRoster(given) ? 'listCharacters' : 'getDataset'),
    input: {
      ...{ game, dataset: collection, filter, q },
      sort: text('Attributes separated by commas, `-` before one for the largest first: `-stats.atk,name`.'),
      ...{ ids, fields, lang, ...pages(20, 'records') },
    },
  },
  {
    name: 'patch_history', title: 'What patches changed', isPro: true, rows: 'timeline', required: ['game'],
    description: 'What each build (patch, update) of a game changed, newest first: new characters, buffs, nerfs, other changes, datasets. `since` says that builds before it are missing, `limits` what the data does not hold. With `id`: when one character was released, buffed or nerfed, oldest first, value by value.',
    operation: ({ id: unit }) => (unit === undefined ? 'listBuilds' : 'getTimeline'),
    input: {
      ...{ game, id: text('A character; without it, the builds of the game.'), lang },
      fields: texts('Only characters of which one of these attributes changed: `stats` for numbers.'),
      view: { type: 'string', enum: ['summary', 'full'], default: 'summary', description: 'Names and counts, or all lists.' },
      ...pages(5, 'builds or changes'),
    },
    shape(result) {
      // get_character returns the record of a new character.
      if (Array.isArray(result.timeline)) for (const entry of result.timeline) delete entry.record;
      return undefined;
    },
  },
  {
    name: 'diff_builds', title: 'Compare two builds', isPro: true, operation: 'compareBuilds', rows: 'changed', required: ['game', 'from', 'to'],
    description: 'The exact differences between any two builds (patches) of a game: what was added, removed and changed between them, with each value before and after.',
    input: {
      game, lang, from: text('The earlier build: its name, or `latest`.'), to: text('The later build: its name, or `latest`.'), only,
      collection: { ...collection, description: 'The only collection whose changes are shown, in pages.' }, ...pages(20, 'changed records'),
    },
    shape: shapeDiff,
  },
  {
    name: 'stat_series', title: 'Attributes over builds', isPro: true, operation: 'getSeries', rows: 'series', required: ['game', 'id', 'fields'],
    description: 'The value of attributes of one character in each build, oldest first, such as its attack over all patches.',
    input: { game, id, fields, ...pages(100, 'builds') },
  },
];

type Changes = { added?: unknown[]; changed?: unknown[] };

/** Reduces a changed character to its stats: in a history its `fields`, in a diff its `changes`. */
function statsOf(unit: unknown): unknown[] {
  const { fields: keys, changes } = unit as { fields?: string[]; changes?: { path: string }[] };
  const kept = keys ? keys.filter((key) => key.startsWith('stats')) : (changes ?? []).filter(({ path }) => path.startsWith('/stats'));
  return kept.length > 0 ? [{ ...(unit as object), [keys ? 'fields' : 'changes']: kept }] : [];
}

function shapeDiff(result: Result, { only: kept, collection: key = 'characters' }: Arguments): Result {
  if (kept !== undefined) {
    const { added = [], changed = [] } = result.characters as Changes;
    result.characters = kept === 'new_units' ? { added } : { changed: changed.flatMap(statsOf) };
    result.datasets = {};
  }
  const datasets = result.datasets as Record<string, Result>;
  if (key === 'characters') {
    result.datasets = Object.keys(datasets);
    return result.characters as Result;
  }
  const own = datasets[String(key)] ?? {};
  Object.assign(result, { characters: undefined, datasets: { [String(key)]: own } });
  return own;
}

/** Reads the arguments of a call. Some clients send numbers and lists as texts. @returns the arguments, or what is wrong */
export function readArguments({ input, required = [] }: Tool, given: Record<string, unknown>): Arguments | string {
  const names = Object.keys(input);
  const expected = `Expected: ${names.map((name) => (required.includes(name) ? `${name} (required)` : name)).join(', ')}.`;
  const read: Record<string, string | number | readonly string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = (Object.hasOwn(input, name) ? input[name] : {}) as { type?: string; minimum?: number; maximum?: number };
    const list = typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    const wrong = (what: string) => `the argument ${name}: expected ${what}. ${expected}`;
    const isPlain = (each: unknown) => typeof each === 'string' || typeof each === 'number';
    if (type === undefined) return `${quote(name)} is not an argument${suggest(name, names)}. ${expected}`;
    if (type === 'array') {
      if (!Array.isArray(list) || !list.every(isPlain)) return wrong('a list of texts');
      read[name] = list.map(String);
    } else if (type === 'integer') {
      if (!Number.isInteger(number) || Number(number) < minimum || Number(number) > maximum) return wrong(`an integer from ${minimum} to ${maximum}`);
      read[name] = Number(number);
    } else if (isPlain(value)) read[name] = String(value);
    else return wrong('a text');
  }
  const missing = required.find((name) => read[name] === undefined);
  return missing === undefined ? read : `the argument ${missing} is missing. ${expected}`;
}

/** The default size of a tool's pages. */
export function pageSizeOf({ input }: Tool): number | undefined {
  return input.limit && Number(input.limit.default);
}

/** Returns the request of a tool call. @throws HttpProblem `too-large` */
export function requestOf(tool: Tool, given: Arguments, routes: readonly Route[], of: GameBuild | undefined): Asked {
  const { operation, input } = tool;
  const isPaged = of?.datasets.get(String(given.dataset))?.kind !== 'object';
  return toAsked(typeof operation === 'string' ? operation : operation(given), { ...(isPaged && { limit: pageSizeOf(tool) }), view: input.view?.default as string | undefined, dataset: given.collection, ...given }, routes);
}

/** Returns the GET of an operation. Arguments that are not parameters of its path or query are ignored. @throws HttpProblem `too-large` */
export function toAsked(operation: string, given: Arguments, routes: readonly Route[]): Asked {
  const route = routes.find(({ operationId }) => operationId === operation);
  if (!route) throw new Error(`no route is called ${operation}`);
  const params: Record<string, string> = {};
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    params[name] = String(given[name]);
    return encodeURIComponent(params[name]);
  });
  const pairs = route.parameters.flatMap(({ name, explode }): [string, string][] => {
    const value = given[name];
    if (value === undefined) return [];
    return typeof value === 'object' && explode === true ? value.map((each) => [name, each]) : [[name, String(value)]];
  });
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
  const length = path.length + search.length;
  if (length > MAX_TARGET_BYTES)
    throw tooLarge(414, `the arguments are too long: as an address they have ${length} bytes, expected at most ${MAX_TARGET_BYTES}`);
  return { route, path, search, params };
}

/** Advice for each error that another call can avoid, and the arguments that may have caused it; the first one that the tool has is named. */
const ERRORS: Partial<Record<ProblemCode, { next: string; about?: readonly string[] }>> = {
  'invalid-parameter': { next: 'Correct it; describe_game lists the attributes of a collection and their values.' },
  'pro-only': { next: 'This tool needs a Pro key. list_games, describe_game, search, get_character, compare and query_dataset work with this key.' },
  'unknown-game': { next: 'Call list_games for the slugs of the games.', about: ['game'] },
  'unknown-dataset': { next: 'Call list_games: it lists the datasets of each game.', about: ['dataset', 'collection'] },
  'unknown-character': { next: 'Call search with the name of the character: it returns ids.', about: ['id', 'ids'] },
  'unknown-record': { next: 'Call query_dataset with q to find the id of the record.' },
  'unknown-build': { next: 'Call patch_history for the builds of the game, or use latest.', about: ['from'] },
  'too-large': { next: 'Use fewer ids, fields or filters, or several calls.' },
  unavailable: { next: 'Try again in a few seconds.' },
};

/** Explains an error to a model: its code, the wrong argument and why, and what to try next. */
export function explainError({ code, message, headers, members }: HttpProblem, tool?: Tool): string {
  const { next, about = [] } = ERRORS[code] ?? {};
  const candidates = [...about, String(members.parameter), ...(code === 'invalid-parameter' ? ['filter'] : [])];
  const argument = candidates.find((name) => tool && name in tool.input);
  const where = argument === undefined ? '' : `the argument ${argument}: `;
  const wait = code === 'quota-exceeded' ? `Wait ${headers['Retry-After'] ?? 60} seconds before the next call.` : undefined;
  return [`${code}: ${where}${message.replace(/; \/api\/[^;]*$/, '')}.`, wait ?? next ?? ''].join(' ').trim();
}

/** A question that people choose, for a model with the tools. */
interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
  /** The question for some arguments. */
  text(given: Readonly<Record<string, string>>): string;
}

const gameOfPrompt = { name: 'game', description: 'The name or the slug of the game.', required: true };

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'plan_pulls', title: 'Plan pulls', description: 'How many pulls a character takes, and whether the savings are enough.',
    arguments: [gameOfPrompt, { name: 'savings', description: 'What you have: currency or pulls.', required: false }, { name: 'character', description: 'Whom you want.', required: false }],
    text: ({ game: of, savings = 'unknown', character = 'the newest character' }) =>
      `I play ${of} and want ${character}. I have: ${savings}. Find the slug with list_games, read its dataset pull_planner (what a pull costs, pity and guarantees) and, if it has them, pull_rates and banners with query_dataset. Tell me how many pulls the worst case and the average take, what they cost, and whether my savings are enough. Name what the data does not have.`,
  },
  {
    name: 'what_changed', title: 'What changed', description: 'What the newest patch of a game changed for players.', arguments: [gameOfPrompt],
    text: ({ game: of }) =>
      `What did the newest patch of ${of} change for players? Use patch_history with limit 1 and, for values, diff_builds with only "stats". Begin with new characters, then buffs and nerfs with the values before and after, then datasets. Leave out corrections of the data. If patch_history is not among the tools, say that it needs a Pro key, and list the newest characters with query_dataset instead.`,
  },
  {
    name: 'build_team', title: 'Build a team', description: 'Teammates for a character.',
    arguments: [gameOfPrompt, { name: 'character', description: 'Whom the team is for.', required: true }],
    text: ({ game: of, character }) =>
      `Suggest a team around ${character} in ${of}. Find the id with search, read the character with get_character (element, role, stats, skills), call describe_game for the elements and roles, find candidates that complement it with query_dataset, and compare the best ones with compare. Give reasons from the data, and say where you use knowledge of your own.`,
  },
];
