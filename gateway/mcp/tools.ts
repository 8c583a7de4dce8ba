// biome-ignore-all format: an argument and a tool are read as tables
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { countFolded } from '../../scripts/diff/summary.ts';
import { findDataset } from '../api/lists.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { HttpProblem, ProblemCode } from '../http/problem.ts';
import { OPERATOR_NAMES } from '../query/list-query.ts';

/** The arguments of a call by name; they match the schema of the tool. */
export type Arguments = Record<string, string | number | readonly string[] | undefined>;
export type Result = Record<string, unknown>;

/** A tool for AI agents: one request of the API. Its arguments are the parameters of the operation, and those that `shape` reads. */
export interface Tool {
  /** What `tools/list` shows. */
  listed: Listed & { inputSchema: { type: 'object' } & JsonObject; annotations: object };
  isPro?: true;
  input: Record<string, JsonObject>;
  operation: string | ((given: Arguments) => string);
  /** The list of the result that `offset` and `limit` divide into pages, if the API does not. */
  rows?: string;
  /** Reduces a result to what a model needs. @returns the object with `rows` */
  shape?(result: Result, given: Arguments, game?: GameBuild): Result;
}

type Listed = Record<'name' | 'title' | 'description', string>;

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
const dataset = { ...text('`characters`, or the key of a dataset as list_games shows it.'), default: 'characters' };
const fields = texts('Only these attributes, by key, such as `name` or `stats.atk`. Choose them: a full record is long.');
const lang = text('The language of names and texts, such as `ja`.');
const q = text('A name or a part of one, in any language; typing errors are forgiven.');
const filter = texts(`Each an attribute, an operator or none, \`=\` and a value: \`element=Pyro\`, \`rarity[gte]=4\`, \`name[ne]=Amber\`, \`birthday[exists]=true\`. Operators: ${OPERATOR_NAMES.join(', ')}. Different attributes: all hold; the same one again: any of the values.`);

const TABLE: readonly (Omit<Tool, 'listed'> & Listed & { required?: string[] })[] = [
  {
    name: 'list_games', title: 'List the games', operation: 'listGames', rows: 'games', input: pages(100, 'games'),
    description: 'Which games there are, with their slugs, current builds and the keys of their datasets, such as banners, weapons or events. The other tools need the slug of a game.',
  },
  {
    name: 'describe_game', title: 'Describe the attributes of a game', rows: 'attributes', required: ['game'],
    description: 'What the attributes of the characters of a game, or of one of its datasets, mean: label, unit, type, range and possible values, such as the elements or roles that exist. Call it before you filter, sort or choose attributes. Texts in other languages are left out: choose these with `lang`.',
    operation: 'listDatasetAttributes', input: { game, dataset, ...pages(80, 'attributes') }, shape: withoutTranslations,
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
    description: 'The materials that ascensions, levels and skills of a character take, in total and by list: farming lists, "how much Mora to level 90". Without `talents`, all skills to the highest level. `uncounted` and `missing` say what the totals lack.',
    input: { game, id, from: level('The level at which it is now.'), to: level('The level that it is to reach.'), talents: texts('The level that each skill is raised to: `10` for all, or `10,10,8`. In Arknights, 8 to 10 are masteries.'), lang },
  },
  {
    name: 'compare', title: 'Compare characters', operation: 'compareCharacters', rows: 'fields', required: ['game', 'ids'],
    description: 'Compare two to six characters side by side: which one has the higher stats, and what differs. One row per attribute with one value per character; `best` has the positions of the largest value.',
    input: { game, ids, lang, ...pages(150, 'rows') },
    // The rows contain every value.
    shape: (result) => Object.assign(result, { characters: (result.characters as Result[]).map(({ id: unit, name }) => ({ id: unit, name })) }),
  },
  {
    name: 'query_dataset', title: 'List characters, or records of a dataset', required: ['game'],
    description: 'List and count characters (all, strongest, of an element, rarity or role), or the records of a dataset (banners, weapons, events, pull rates, pity), with filters and in any order. `total` counts all that match.',
    operation: (given) => (given.dataset === 'characters' ? 'listCharacters' : 'getDataset'),
    input: {
      game, dataset, filter, q,
      sort: text('Attributes separated by commas, `-` before one for the largest first: `-stats.atk,name`.'),
      ids, fields, lang, ...pages(20, 'records'),
    },
  },
  {
    name: 'patch_history', title: 'What patches changed', isPro: true, rows: 'timeline', required: ['game'],
    description: 'What each build (patch, update) of a game changed, newest first: new characters, buffs, nerfs, other changes, datasets. `since` says that builds before it are missing, `limits` what the data does not hold. With `id`: when one character was released, buffed or nerfed, oldest first, value by value.',
    operation: ({ id: unit }) => (unit === undefined ? 'listBuilds' : 'getTimeline'),
    input: {
      game, id: text('A character; without it, the builds of the game.'), lang,
      fields: texts('Only characters of which one of these attributes changed: `stats` for numbers.'),
      view: { type: 'string', enum: ['summary'], default: 'summary', description: 'Names and counts; diff_builds has the values.' },
      ...pages(5, 'builds or changes'),
    },
    // get_character returns the record of a new character.
    shape: (result) => Object.assign(result, { timeline: (result.timeline as Result[] | undefined)?.map(({ record: _, ...entry }) => entry) }),
  },
  {
    name: 'diff_builds', title: 'Compare two builds', isPro: true, operation: 'compareBuilds', rows: 'changed', required: ['game', 'from', 'to'],
    description: 'The exact differences between any two builds (patches) of a game: what was added, removed and changed between them, with each value before and after. What the game itself did not change, such as corrections, is only counted (`folded`).',
    input: {
      game, lang, from: text('The earlier build: its name, or `latest`.'), to: text('The later build: its name, or `latest`.'),
      collection: { ...dataset, description: 'The only collection whose changes are shown, in pages.' }, ...pages(20, 'changed records'),
    },
    shape: showCollection,
  },
  {
    name: 'stat_series', title: 'Attributes over builds', isPro: true, operation: 'getSeries', rows: 'series', required: ['game', 'id', 'fields'],
    description: 'The value of attributes of one character in each build, oldest first, such as its attack over all patches.',
    input: { game, id, fields, ...pages(100, 'builds') },
  },
];

/** All tools; those for Pro keys come last. */
export const TOOLS: readonly Tool[] = TABLE.map(({ name, title, description, required = [], ...tool }) => {
  const inputSchema = { type: 'object' as const, properties: tool.input, required, additionalProperties: false };
  return { ...tool, listed: { name, title, description, inputSchema, annotations: { title, readOnlyHint: true, openWorldHint: false } } };
});
export const TOOL_NAMES: readonly string[] = TOOLS.map(({ listed }) => listed.name);

/** Leaves out texts in the languages that names have: a model would have to read hundreds of attributes. */
function withoutTranslations(result: Result): Result {
  const all = result.attributes as { key: string; kind?: string }[];
  const ends = all.flatMap(({ key }) => /^name(_.+)$/.exec(key)?.[1] ?? []);
  return Object.assign(result, { attributes: all.filter(({ key, kind }) => kind !== 'text' || !ends.some((end) => key.endsWith(end))) });
}

/** Shows the changes of one collection, and the names of the others. @throws HttpProblem if there is no such collection */
function showCollection(result: Result, { collection: key = 'characters' }: Arguments, game?: GameBuild): Result {
  const datasets = result.datasets as Record<string, Result>;
  const isRoster = key === 'characters';
  if (!isRoster && game && datasets[String(key)] === undefined) findDataset(game, String(key));
  const { added, removed, names, gained, ...own } = (isRoster ? result.characters : (datasets[String(key)] ?? {})) as Result;
  // query_dataset lists the records of a new dataset.
  const lists = own.kind === undefined ? { added, removed, names, gained } : { records: [added, removed].flat().length };
  // Folded changes can be longer than all others.
  Object.assign(own, lists, countFolded(own));
  Object.assign(result, isRoster ? { characters: own, datasets: Object.keys(datasets) } : { characters: undefined, datasets: { [String(key)]: own } });
  return own;
}

/** Advice for each error that another call can avoid, and the arguments that may have caused it; the first one that the tool has is named. */
const ERRORS: Partial<Record<ProblemCode, { next: string; about?: readonly string[] }>> = {
  'invalid-parameter': { next: 'Correct it; describe_game lists the attributes of a collection and their values.' },
  'pro-only': { next: `This tool needs a Pro key. These work with yours: ${TOOLS.flatMap(({ isPro, listed }) => (isPro ? [] : listed.name)).join(', ')}.` },
  'unknown-game': { next: 'Call list_games for the slugs of the games.', about: ['game'] },
  'unknown-dataset': { next: 'Call list_games: it lists the datasets of each game.', about: ['dataset', 'collection'] },
  'unknown-character': { next: 'Call search with the name of the character: it returns ids.', about: ['id', 'ids'] },
  'unknown-record': { next: 'Call query_dataset with q to find the id of the record.' },
  'unknown-build': { next: 'Call patch_history for the builds of the game, or use latest.', about: ['from'] },
};

/** Explains an error to a model: its code, the wrong argument and why, and what to try next. */
export function explainError({ code, message, headers, members }: HttpProblem, tool: Tool): string {
  const { next, about = [] } = ERRORS[code] ?? {};
  const candidates = [...about, String(members.parameter), ...(code === 'invalid-parameter' ? ['filter'] : [])];
  const argument = candidates.find((name) => name in tool.input);
  const where = argument === undefined ? '' : `the argument ${argument}: `;
  const wait = code === 'quota-exceeded' ? `Wait ${headers['Retry-After'] ?? 60} seconds before the next call.` : undefined;
  return [`${code}: ${where}${message.replace(/; \/api\/[^;]*$/, '')}.`, wait ?? next ?? ''].join(' ').trim();
}
