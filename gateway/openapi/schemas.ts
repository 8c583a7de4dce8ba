import { SLUG } from '../../scripts/format/dist-format.ts';
import type { JsonSchema } from '../api/route.ts';
import { PROBLEMS } from '../http/problem.ts';
import { MAX_RECORDS } from '../query/list-query.ts';
import { ACCOUNT_SCHEMAS } from './account-schemas.ts';
import { ATTRIBUTE_SCHEMAS } from './attribute-schemas.ts';
import { EVENT_SCHEMAS } from './event-schemas.ts';
import { HISTORY_SCHEMAS } from './history-schemas.ts';

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const flag = { type: 'boolean' };
const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };
const scalar = { type: ['string', 'number', 'boolean'] };
const slug = { type: 'string', pattern: SLUG };
const build = { type: 'string', description: 'The build that the response belongs to.' };

function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

const page = {
  total: { ...whole, description: 'How many records match.' },
  count: { ...whole, description: 'How many of them are on this page.' },
  limit: {
    type: ['integer', 'null'],
    minimum: 0,
    maximum: MAX_RECORDS,
    description: 'null when no limit was given.',
  },
  offset: whole,
  sort: {
    type: ['string', 'null'],
    description:
      'The sort that was applied, sign included; `ids` for the order of the parameter, `relevance` for that of a search, null for the order ' +
      'of the list.',
  },
  missing: {
    ...list(text),
    description: 'Requested ids that do not exist; only when `ids` was given.',
  },
  did_you_mean: {
    ...object({ parameter: text, value: text }),
    description:
      'Only when no record matches and a value that exists is near one in the request: which filter, and the value.',
  },
};
/** The members of `page` that not every page has. */
const SOMETIMES = ['missing', 'did_you_mean'];
const record = {
  type: 'object',
  description: "Its attributes are the game's own; the dataset `facets` lists those of the roster.",
};

/** Makes the schemas of responses that consist of records, from the schema of one record. */
export const schemaFor = {
  roster: (entry: JsonSchema) => object({ game: slug, build, ...page, characters: list(entry) }, SOMETIMES),
  randomCharacters: (character: JsonSchema) =>
    object({ game: slug, build, count: whole, characters: list(character) }),
  listDataset: (item: JsonSchema) =>
    object({ game: slug, build, dataset: text, ...page, records: list(item) }, SOMETIMES),
  objectDataset: (data: JsonSchema) => object({ game: slug, build, dataset: text, data }),
  comparison: (character: JsonSchema) =>
    object({
      game: slug,
      build,
      count: whole,
      ids: list(text),
      characters: list(character),
      fields: list(
        object({
          key: text,
          values: { ...list({}), description: 'One value per character; null where it has none.' },
          differs: flag,
          best: { ...list(whole), description: 'Positions.' },
        }),
      ),
    }),
};

/** The JSON Schemas of all responses. */
export const SCHEMAS = {
  Games: object({
    total: whole,
    attribution: { ...text, description: 'How to attribute the data.' },
    terms: { type: 'string', format: 'uri-reference', description: 'The address of the terms of use.' },
    games: list(
      object(
        {
          slug,
          title: text,
          build: text,
          released_at: instant,
          counts: object({ characters: whole, datasets: whole, builds: whole }),
          datasets: list(text),
          age_days: { ...whole, description: 'How many UTC days ago the build was released.' },
          usual_interval_days: {
            type: ['number', 'null'],
            description: 'The usual number of days between its builds; null if there are less than three.',
          },
          behind: {
            type: ['number', 'null'],
            description:
              'How many usual intervals old the build is, such as 1.4; null if no interval is known.',
          },
          successor: {
            ...slug,
            description: 'Only of a game that has ended: the game that continues it.',
          },
          regions: {
            ...list(slug),
            description: 'The same game in other regions, each with its own builds and texts.',
          },
          images: {
            ...object({
              hosts: list(text),
              credit: { ...text, description: 'Whose images they are; show it beside them.' },
              terms: {
                type: 'string',
                format: 'uri-reference',
                description: 'The terms under which they may be shown.',
              },
            }),
            description:
              'Where the images are that attributes of the kind `image` name. They are not copied.',
          },
        },
        ['age_days', 'usual_interval_days', 'behind', 'successor', 'regions', 'images'],
      ),
    ),
  }),
  Roster: schemaFor.roster(ref('RosterEntry')),
  RosterEntry: {
    type: 'object',
    description:
      'The attributes of a character that a list needs; with `fields`, only the chosen attributes.',
    required: ['id'],
    properties: {
      id: text,
      name: text,
      rarity: { type: 'integer' },
      attack: text,
      stats: { type: 'object', additionalProperties: { type: 'number' } },
    },
    patternProperties: { '^name_': text },
  },
  Record: record,
  Names: object({
    game: slug,
    build,
    names: {
      ...list({
        type: 'object',
        required: ['id'],
        properties: { id: text, name: text, aliases: list(text) },
        patternProperties: { '^name_': text },
      }),
      description: 'One element per character, in order of their ids, with its names in every language.',
    },
  }),
  SearchResults: object({
    q: { ...text, description: 'As in the request.' },
    total: { ...whole, description: 'How many records match.' },
    count: { ...whole, description: 'How many of them are on this page.' },
    limit: { ...whole, maximum: 100 },
    offset: whole,
    results: {
      ...list(ref('SearchResult')),
      description: 'Best first; equal ones in the order of games, collections and ids.',
    },
  }),
  SearchResult: object({
    game: slug,
    collection: { ...text, description: '`characters` or the key of a dataset.' },
    id: text,
    name: text,
    matched: object({
      name: { ...text, description: 'The name or alias that matched best.' },
      attribute: { ...text, description: 'The attribute that it is in: `name`, `name_ja`, `aliases`.' },
      kind: { enum: ['exact', 'prefix', 'word', 'substring', 'typo'] },
    }),
    score: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: '1 for the whole name; it only orders the results.',
    },
  }),
  RandomCharacters: schemaFor.randomCharacters(ref('Character')),
  Character: {
    allOf: [ref('RosterEntry')],
    description: 'The full record; with `fields`, only the chosen attributes.',
  },
  Dataset: {
    oneOf: [schemaFor.listDataset(record), schemaFor.objectDataset({ type: 'object' })],
  },
  Facets: object(
    { game: slug, build, dataset: { const: 'facets' }, ...page, records: list(ref('Facet')) },
    SOMETIMES,
  ),
  Facet: {
    ...object({
      id: { ...text, description: 'The dotted key.' },
      type: { enum: ['string', 'number', 'boolean'] },
      list: { ...flag, description: 'Whether a character may have several values.' },
      count: { ...whole, description: 'How many characters have it.' },
      distinct: { ...whole, description: 'How many different values exist.' },
      min: scalar,
      max: scalar,
      values: {
        ...list(ref('AttributeValue')),
        description:
          'The values, ascending: all, or of many texts those that most records have; left out for numbers with many values.',
      },
      rest: {
        ...object({ distinct: whole, count: whole }),
        description: 'The values that are not listed: how many, and how often records have them.',
      },
    }),
    required: ['id'],
  },
  Attributes: object({
    game: slug,
    build,
    collection: { ...text, description: '`characters` or the key of the dataset.' },
    records: { ...whole, description: 'How many records the collection has; 1 for one object.' },
    attributes: {
      ...list(ref('Attribute')),
      description: 'An object comes before its attributes.',
    },
  }),
  ...ATTRIBUTE_SCHEMAS,
  Comparison: schemaFor.comparison(ref('Character')),
  ...HISTORY_SCHEMAS,
  ...EVENT_SCHEMAS,
  Csv: {
    type: 'string',
    description:
      'CSV (RFC 4180) in UTF-8: a line with the names of the columns, then a line per row. Lines end with CRLF.',
  },
  TypeScript: { type: 'string', description: 'A module of TypeScript with types only, in UTF-8.' },
  Ndjson: { type: 'string', description: 'A JSON object per line, in UTF-8.' },
  AnyRows: {
    description: 'A page of the roster or of a dataset, or a comparison.',
    anyOf: ['Roster', 'Dataset', 'Comparison'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  },
  ...ACCOUNT_SCHEMAS,
  RevokeKey: object({ key: { ...text, description: 'The whole key, as it was issued.' } }),
  Status: object({ status: text }),
  OpenApi: {
    type: 'object',
    required: ['openapi', 'info', 'paths'],
    properties: { openapi: text, info: { type: 'object' }, paths: { type: 'object' } },
  },
  Problem: {
    type: 'object',
    description: 'An error in the form of RFC 9457.',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { type: 'string', format: 'uri-reference' },
      title: text,
      status: { type: 'integer' },
      code: { enum: Object.keys(PROBLEMS), description: 'Stable; for programs.' },
      detail: { ...text, description: 'What was wrong and what was expected; for people.' },
      parameter: { ...text, description: 'The parameter that is not valid.' },
      ids: { ...list(text), description: 'The unknown ids.' },
      address: { ...text, description: 'The IP address that the request came from.' },
      types: { ...list(text), description: 'The media types that the address serves.' },
      origin: {
        type: ['string', 'null'],
        description: 'The Origin header field of the request; null without one.',
      },
      'violated-policies': {
        ...list({
          enum: [
            'minute',
            'day',
            'cpu',
            'bulk',
            'bulk-network',
            'conditional',
            'diffs',
            'key-minute',
            'key-day',
          ],
        }),
        description: 'The caps that are reached, by their names in RateLimit-Policy.',
      },
    },
    additionalProperties: false,
  },
} as const satisfies Record<string, JsonSchema>;
