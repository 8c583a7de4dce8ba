// biome-ignore-all format: a member is a line, with what it means
import { ATTRIBUTE_KINDS } from '../../scripts/format/attributes.ts';
import type { JsonSchema } from '../api/route.ts';
import { PROBLEMS } from '../http/problem.ts';
import { MAX_RECORDS } from '../query/list-query.ts';
import { address, CHANGE_SCHEMAS, flag, instant, list, mapOf, number, object, oneOf, orNull, ref, say, scalar, slug, text, whole } from './change-schemas.ts';

const build = say('The build that the response belongs to.');
const record = say("Its attributes are the game's own; the dataset `facets` lists those of the roster.", { type: 'object' });
const page = {
  total: say('How many records match.', whole),
  count: say('How many of them are on this page.', whole),
  limit: say('null when no limit was given.', orNull({ ...whole, maximum: MAX_RECORDS })),
  offset: whole,
  sort: say('The sort that was applied, sign included; `ids` for the order of the parameter, `relevance` for that of a search, null for the order of the list.', orNull(text)),
  'missing?': say('Requested ids that do not exist; only when `ids` was given.', list(text)),
  'did_you_mean?': say('Only when no record matches and a value that exists is near one in the request: which filter, and the value.', object({ parameter: text, value: text })),
};

/** Makes the schemas of responses with records from the schema of one record. */
export const schemaFor = {
  roster: (entry: JsonSchema) => object({ game: slug, build, ...page, characters: list(entry) }),
  randomCharacters: (character: JsonSchema) => object({ game: slug, build, count: whole, characters: list(character) }),
  listDataset: (item: JsonSchema) => object({ game: slug, build, dataset: text, ...page, records: list(item) }),
  objectDataset: (data: JsonSchema) => object({ game: slug, build, dataset: text, data }),
  comparison: (character: JsonSchema) => object({
    game: slug, build, count: whole, ids: list(text), characters: list(character),
    fields: list(object({
      key: text, values: say('One value per character; null where it has none.', list({})), differs: flag, best: say('Positions.', list(whole)),
    })),
  }),
};

/** Texts in other languages: `name_ja`, `label_ja`. */
const inLanguages = (name: string) => ({ patternProperties: { [`^${name}_`]: text } });
const label = say('The name that the game shows, in English; in other languages as `label_ja`.');
const isTrue = { const: true };

const DATA_SCHEMAS = {
  Games: object({
    total: whole,
    attribution: say('How to attribute the data.'),
    terms: say('The address of the terms of use.', address),
    games: list(object({
      slug, title: text, build: text, released_at: instant,
      counts: object({ characters: whole, datasets: whole, builds: whole }), datasets: list(text),
      formats: say('The formats of downloads, each with the oldest build from which on all have it.', { type: 'object', additionalProperties: text, required: ['json'] }),
      'age_days?': say('How many UTC days ago the build was released.', whole),
      as_of: say('The day of the source of each collection, by `characters` or the key of a dataset.', mapOf(text)),
      'gaps?': say('How many records of each collection lack an attribute that at least half of all have: what the source leaves out, or what does not apply to them. Shares below 5 % are left out.', mapOf(mapOf(whole))),
      'cadence_days?': say('How many days usually pass between two patches of the game; null if that is not known.', orNull(number)),
      'behind_days?': say('How many days ago the next patch was usual after the one that the characters are of; 0 if it is still to come.', orNull(whole)),
      'successor?': say('Only of a game that has ended: the game that continues it.', slug),
      'regions?': say('The same game in other regions, each with its own builds and texts.', list(slug)),
      'images?': say('Where the images are that attributes of the kind `image` name. They are not copied.', object({
        hosts: list(text),
        credit: say('Whose images they are; show it beside them.'),
        terms: say('The terms under which they may be shown.', address),
      })),
    })),
  }),
  Roster: schemaFor.roster(ref('RosterEntry')),
  RosterEntry: say('The attributes of a character that a list needs; with `fields`, only the chosen attributes.', {
    type: 'object', required: ['id'], ...inLanguages('name'),
    properties: { id: text, name: text, rarity: { type: 'integer' }, attack: text, stats: { type: 'object', additionalProperties: number } },
  }),
  Record: record,
  Names: object({
    game: slug, build,
    names: say('One element per character, in order of their ids, with its names in every language.', list({
      type: 'object', required: ['id'], properties: { id: text, name: text, aliases: list(text) }, ...inLanguages('name'),
    })),
  }),
  SearchResults: object({
    q: say('As in the request.'),
    total: page.total, count: page.count, limit: { ...whole, maximum: 100 }, offset: whole,
    results: say('Best first; equal ones in the order of games, collections and ids.', list(ref('SearchResult'))),
    'datasets?': say('On the first page: datasets that the words name, or that players mean by them.', list(object({ game: slug, dataset: text }))),
  }),
  SearchResult: object({
    game: slug, collection: say('`characters` or the key of a dataset.'), id: text, name: text,
    matched: object({
      name: say('The name or alias that matched best.'),
      attribute: say('The attribute that it is in: `name`, `name_ja`, `aliases`.'),
      kind: oneOf('exact', 'prefix', 'word', 'substring', 'typo'),
    }),
    score: say('1 for the whole name; it only orders the results.', { ...number, minimum: 0, maximum: 1 }),
  }),
  RandomCharacters: schemaFor.randomCharacters(ref('Character')),
  Character: say('The full record; with `fields`, only the chosen attributes.', { allOf: [ref('RosterEntry')] }),
  Dataset: { oneOf: [schemaFor.listDataset(record), schemaFor.objectDataset({ type: 'object' })] },
  Facets: object({ game: slug, build, dataset: { const: 'facets' }, ...page, records: list(ref('Facet')) }),
  Facet: object({
    id: say('The dotted key.'),
    'type?': oneOf('string', 'number', 'boolean'),
    'list?': say('Whether a character may have several values.', flag),
    'count?': say('How many characters have it.', whole),
    'distinct?': say('How many different values exist.', whole),
    'min?': scalar, 'max?': scalar,
    'values?': say('The values, ascending: all, or of many texts those that most records have; left out for numbers with many values.', list(ref('AttributeValue'))),
    'rest?': say('The values that are not listed: how many, and how often records have them.', object({ distinct: whole, count: whole })),
  }),
  Attributes: object({
    game: slug, build,
    collection: say('`characters` or the key of the dataset.'),
    records: say('How many records the collection has; 1 for one object.', whole),
    attributes: say('An object comes before its attributes.', list(ref('Attribute'))),
  }),
  Attribute: say('An attribute of a collection. Members that do not apply are absent.', { ...inLanguages('label'), ...object({
    key: say('The dotted key. Steps into objects and into lists of objects are the same: `ascension.materials.name`.'),
    'label?': label,
    'description?': say('The meaning, in a sentence.'),
    'type?': say('The type of the values; of a list, of its elements. `any`: several types, or lists of lists. Absent if no record has a value.', oneOf('string', 'number', 'integer', 'boolean', 'object', 'any')),
    'kind?': say('What the values are. An image is its address; a date is ISO 8601; a color is #rrggbb.', oneOf(...ATTRIBUTE_KINDS)),
    'unit?': text,
    'level?': say('The level or condition that the values are of.'),
    'ref?': say('The collection whose ids the values are: the key of a dataset, or `characters`.'),
    list: say('Whether it is a list.', flag),
    'optional?': say('Some records, or some of the objects that it is a part of, lack it.', isTrue),
    'nullable?': say('Some values are null.', isTrue),
    count: say('How many records have a value.', whole),
    'distinct?': say('How many different values there are.', whole),
    'min?': say('The smallest number.', number),
    'max?': say('The largest number.', number),
    'expected?': say('The range that is expected, now and later.', { type: 'object', properties: { min: number, max: number }, additionalProperties: false }),
    'closed?': say('`values` are a closed set: the game knows no others.', isTrue),
    'values?': say('All values of the build, ascending: of a closed set, and if there are few.', list(ref('AttributeValue'))),
    'examples?': say('Some values, if not all are listed.', list(scalar)),
  }) }),
  AttributeValue: { ...object({ value: scalar, 'label?': label, count: say('How many records have it.', whole) }), ...inLanguages('label') },
  Comparison: schemaFor.comparison(ref('Character')),
  Cost: object({ 'id?': say('The id of the material; absent for money that is no item.'), name: text, count: whole }),
  Costs: object({
    game: slug, build, id: text, name: text,
    parts: list(object({
      key: say('The list of the character whose steps these are, by its dotted key.'), 'of?': say('The id of the skill whose list it is.'),
      steps: say('How many steps were counted.', whole), materials: list(ref('Cost')),
    })),
    total: say('All parts together.', list(ref('Cost'))),
  }),
  TypeScript: say('A module of TypeScript with types only, in UTF-8.'),
  AnyRows: say('A page of the roster or of a dataset, or a comparison.', { anyOf: [ref('Roster'), ref('Dataset'), ref('Comparison')] }),
};

const window = object({ used: whole, remaining: whole, resets_at: say('When `remaining` next grows; null while nothing is used.', orNull(instant)) });
const channel = oneOf('on', 'off', 'disabled');
const limits = orNull(object({ minute: whole, day: whole }));
const usage = orNull(object({ minute: window, day: window }));

const SERVICE_SCHEMAS = {
  Me: object({
    tier: oneOf('free', 'pro'),
    key: object({
      prefix: text, name: say('How its holder calls it; null without a name.', orNull(text)), created_at: instant,
      expires_at: say('When the key stops working, because it expires or was replaced; null when it does not.', orNull(instant)),
      browser: say('What a browser key is bound to; null for every other key.', orNull(object({
        origins: say('The origins of the pages that it works on.', list(text)),
        limits: say('Its own limits, within those of the account; null without any.', limits),
        usage: say('What is used of the limits of this key; null if it has none.', usage),
      }))),
    }),
    email: say('Masked; null for a browser key that visitors of pages can read.', orNull(text)),
    pro_until: say('When Pro ends; null without an end, and on the free tier.', orNull(instant)),
    limits: say('The limits on the requests of the account, with all of its keys together: in any 60 seconds, and in a UTC day; null without limits.', limits),
    usage: say('How much of each limit is used; null without limits.', usage),
    freshness: object({ delay_hours: say('How long after its release a build becomes visible.', whole) }),
    follows: say('What the account follows: slugs of games, `all_games`, `new_games`. Without Pro it is kept, but nothing is sent. null when it cannot be read right now, and for a browser key that visitors of pages can read.', orNull(list(text))),
    channels: say('The channels on which the account gets alerts, which are set on the account page: `disabled` if the receiver said that the webhook was removed. Without Pro they are kept, but nothing is sent. null when it cannot be read right now, and for a browser key that visitors of pages can read.', orNull({ ...object({ webhook: channel, mail: channel, feed: channel }), additionalProperties: channel })),
  }),
  RevokeKey: object({ key: say('The whole key, as it was issued.') }),
  Status: object({ status: text }),
  OpenApi: { type: 'object', required: ['openapi', 'info', 'paths'], properties: { openapi: text, info: { type: 'object' }, paths: { type: 'object' } } },
  Problem: say('An error in the form of RFC 9457.', object({
    type: address, title: text, status: { type: 'integer' },
    code: say('Stable; for programs.', oneOf(...Object.keys(PROBLEMS))),
    detail: say('What was wrong and what was expected; for people.'),
    'parameter?': say('The parameter that is not valid.'),
    'ids?': say('The unknown ids.', list(text)),
    'address?': say('The IP address that the request came from.'),
    'types?': say('The media types that the address serves.', list(text)),
    'origin?': say('The Origin header field of the request; null without one.', orNull(text)),
    'violated-policies?': say('The limits that are reached, by their names in RateLimit-Policy.', list(oneOf('minute', 'day', 'cpu', 'bulk', 'conditional', 'diffs', 'key-minute', 'key-day'))),
  })),
};

/** The JSON Schemas of all responses. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = { ...DATA_SCHEMAS, ...CHANGE_SCHEMAS, ...SERVICE_SCHEMAS };
