import { LANGUAGE, SLUG } from '../../format/dist-format.ts';
import { attributesSchema } from './attribute-definition.ts';
import { INSIDE, relativePath, tableNames, tableOrNullSchema, tableSchema } from './table-definition.ts';

// `help` is the text that editors show for a property; `description` is the "expected" of a finding.

const expression = {
  description:
    'an expression: a text, a list of its lines, or {"file": a path inside the game\'s folder that ends in .jsonata}',
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    {
      type: 'object',
      required: ['file'],
      additionalProperties: false,
      properties: {
        file: {
          type: 'string',
          maxLength: 1000,
          pattern: `${INSIDE}\\.jsonata$`,
          help: "The expression's file, by its path inside the game's folder; comments are allowed in it.",
        },
      },
    },
  ],
};
const help = {
  tables:
    'The raw tables, by the name that expressions use: the path of a file in the folder of a build, or a pattern; then each file is a row, keyed by file stem.',
  roster:
    'How the rows of a table become the roster. Without it, the file characters.json (or .csv …) of a build is the roster, unchanged.',
  datasets:
    'Datasets by their key in snake_case: row by row from a table, or by one expression over all tables. Files of a build that no table names are datasets, unchanged.',
  from: 'The table whose rows become records. Of several tables, all rows by key: of rows with the same key, that of the first table counts.',
  where:
    'Which rows to use: an expression that returns true for them. `$` is the row, `$key` its key, `$tables` are all tables.',
  entry:
    'What a row becomes: an expression that returns an object with `id` and `name`. `$` is the row, `$key` its key, `$tables` are all tables.',
  record:
    'What the full record of a character has in addition to its entry in the roster: an expression that returns an object.',
};

const tableName = {
  description: 'the name of a table, or a list of names',
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, uniqueItems: true },
  ],
  help: help.from,
};
const rowMapping = {
  from: tableName,
  where: { ...expression, help: help.where },
  entry: { ...expression, help: help.entry },
};
const recordExpression = { ...expression, help: help.record };
const dataset = {
  description: `${expression.description}; or {"from": …, "where": …, "entry": …}`,
  anyOf: [
    ...expression.anyOf,
    { type: 'object', required: ['from', 'entry'], additionalProperties: false, properties: rowMapping },
  ],
};

const expressionPath = {
  type: 'string',
  maxLength: 1000,
  pattern: `${INSIDE}\\.jsonata$`,
  description: "a path inside the game's folder that ends in .jsonata",
};
const jsonPath = {
  type: 'string',
  maxLength: 1000,
  pattern: `${INSIDE}\\.json$`,
  description: "a path inside the game's folder that ends in .json",
};

const webAddress = {
  ...{ type: 'string', maxLength: 500, pattern: '^https://\\S+$' },
  description: 'an address that begins with https://',
};
const listOf = (description: string, items: object) => ({
  ...{ type: 'array', minItems: 1, maxItems: 20, uniqueItems: true, description, items },
});

/** Adds null to a schema: a change may set such a value to null, which removes it. */
function orNull(schema: { description: string; anyOf: object[] }): object {
  return {
    ...schema,
    description: `${schema.description}; or null, which removes it`,
    anyOf: [...schema.anyOf, { type: 'null' }],
  };
}

/** JSON Schema of game.json. */
export const gameSchema = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../game.schema.json". The compiler ignores it.',
    },
    title: { type: 'string', minLength: 1, maxLength: 200, help: "The game's name, as players know it." },
    language: {
      type: 'string',
      pattern: LANGUAGE,
      description: 'a language such as en, ja or zh_cn',
      help: 'The language of `name` and of all texts whose attributes name no language. Without it, `lang` cannot request it.',
    },
    successor: {
      type: 'string',
      pattern: SLUG,
      description: 'the slug of a game',
      help: 'Only of a game that has ended, which gets no newer builds: the game that continues it.',
    },
    other_regions: {
      ...listOf('a list of slugs of games', {
        type: 'string',
        pattern: SLUG,
        description: 'the slug of a game',
      }),
      help: 'The slugs of the same game in other regions, which have builds and texts of their own.',
    },
    images: {
      type: 'object',
      required: ['hosts', 'credit', 'terms'],
      additionalProperties: false,
      properties: {
        hosts: listOf('a list of host names', { type: 'string', pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' }),
        credit: { type: 'string', minLength: 1, maxLength: 200, help: 'Whose images they are.' },
        terms: { ...webAddress, help: 'The address of the terms under which the images may be shown.' },
      },
      help: 'Where the images are whose addresses attributes of the kind `image` have. They are shown from there, with the credit, and never copied.',
    },
    draft: {
      type: 'boolean',
      help: 'Of a new game: its builds may still change, and are not recorded. gamedata publish refuses it. Remove it when the mapping is right.',
    },
    source: {
      type: 'object',
      description: 'an object',
      help: 'Where gamedata pull fetches new builds: a git repository, and how its commits name and date builds.',
    },
    helpers: {
      ...expressionPath,
      help: "Functions that all expressions may call: the path of a .jsonata file in the game's folder with $name := function($argument) { … }; for each.",
    },
    regions: {
      type: 'object',
      propertyNames: tableNames,
      additionalProperties: {
        ...relativePath,
        description: 'a folder inside the folder of a build, such as "jp/"',
      },
      help: 'The folder of each region inside that of a build, the region that counts first first: {"jp": "jp/", "kr": "kr/"}. A table with "regions": true is one table for each of them.',
    },
    tables: {
      type: 'object',
      propertyNames: tableNames,
      additionalProperties: tableSchema,
      help: help.tables,
    },
    roster: {
      type: 'object',
      required: ['from', 'entry'],
      additionalProperties: false,
      properties: { ...rowMapping, record: recordExpression },
      help: help.roster,
    },
    datasets: { type: 'object', additionalProperties: dataset, help: help.datasets },
    schemas: {
      type: 'object',
      additionalProperties: jsonPath,
      help: "JSON Schemas (draft 7) for the records as they are served: by the dataset's key, or `characters`, the path of a file in the game's folder.",
    },
    attributes: {
      description:
        "the attributes by collection and dotted key, or the path of a file with them inside the game's folder that ends in .json",
      anyOf: [attributesSchema, jsonPath],
      help: 'What attributes mean, by collection (`characters`, the key of a dataset, or `*` for all lists) and dotted key: {"characters": {"stats.atk": {"label": "ATK", …}}}. Or the path of a file that says it.',
    },
    checks: {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: { type: 'number' } },
      help: 'Thresholds of checks, by the name of the check: {"roster-loss": {"max_lost_share": 0.3}}.',
    },
    changes: {
      type: 'array',
      help: 'Changes of the definition from a build on, for raw files that change their shape.',
      items: {
        type: 'object',
        required: ['from'],
        additionalProperties: false,
        properties: {
          from: {
            type: 'string',
            description: 'the name of a build',
            help: 'The first build with this change. It holds until a later change replaces it.',
          },
          tables: {
            type: 'object',
            propertyNames: tableNames,
            additionalProperties: tableOrNullSchema,
            help: `Replaces the table of that name; null removes it. ${help.tables}`,
          },
          roster: {
            type: ['object', 'null'],
            additionalProperties: false,
            properties: {
              from: tableName,
              where: orNull(rowMapping.where),
              entry: rowMapping.entry,
              record: orNull(recordExpression),
            },
            help: 'Replaces the parts of the mapping that it names. null removes the mapping; then a file characters.json (or .csv …) is the roster.',
          },
          datasets: {
            type: 'object',
            additionalProperties: orNull(dataset),
            help: `Replaces the dataset of that key; null removes it. ${help.datasets}`,
          },
        },
      },
    },
  },
};

let loaded: Promise<typeof gameSchema> | undefined;

/** The schema with what parts define. It is one object for each process, so that it is compiled once. */
export async function loadGameSchema(): Promise<typeof gameSchema> {
  loaded ??= withSource();
  return await loaded;
}

async function withSource(): Promise<typeof gameSchema> {
  const { properties } = gameSchema;
  const { sourceSchema } = await import('../../upstream/pull/source-definition.ts');
  const source = { ...(sourceSchema as object as typeof properties.source), help: properties.source.help };
  return { ...gameSchema, properties: { ...properties, source } };
}
