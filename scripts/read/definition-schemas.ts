import { INSIDE, relativePath, tableOrNullSchema, tableSchema } from './table-definition.ts';

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
const tableNames = { pattern: '^[A-Za-z][A-Za-z0-9_]*$', description: 'a name of letters, digits and _' };
const help = {
  tables:
    'The raw tables by the names that expressions know them by: the path of a file in the folder of a build, or a pattern, whose files are the rows of a table keyed by file stem.',
  roster:
    'How the rows of a table become the roster. Without it the file characters.json (or .csv …) of a build is the roster as it stands.',
  datasets:
    'Datasets by their key in snake_case: row by row from a table, or by one expression over all tables. Files of a build that no table names are datasets as they stand.',
  from: 'The table whose rows become records.',
  where:
    'Which rows: an expression that gives true for those to take. `$` is the row, `$key` its key, `$tables` are all tables.',
  entry:
    'What a row becomes: an expression that gives an object with `id` and `name`. `$` is the row, `$key` its key, `$tables` are all tables.',
  record:
    'What only the full record of a character has besides its entry in the roster: an expression that gives an object.',
};

const tableName = { type: 'string', minLength: 1, help: help.from };
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

const schemaPath = {
  type: 'string',
  maxLength: 1000,
  pattern: `${INSIDE}\\.json$`,
  description: "a path inside the game's folder that ends in .json",
};

/** The schema of what a change may also set to null, which removes it. */
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
      help: 'The JSON Schema of this file, for editors: "../game.schema.json". The compiler does not look at it.',
    },
    title: { type: 'string', minLength: 1, maxLength: 200, help: "The game's name, as people know it." },
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
      additionalProperties: schemaPath,
      help: "JSON Schemas (draft 7) that records have to keep to as they are served: by the dataset's key, or `characters`, the path of a file in the game's folder.",
    },
    changes: {
      type: 'array',
      help: "What is otherwise from a build on, because upstream's shape is.",
      items: {
        type: 'object',
        required: ['from'],
        additionalProperties: false,
        properties: {
          from: {
            type: 'string',
            description: 'the name of a build',
            help: 'The first build for which the change holds, until a later change says otherwise.',
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
            help: 'Replaces what it names of the mapping; null leaves the roster to a file characters.json (or .csv …).',
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

const instant = {
  type: 'string',
  format: 'instant',
  description: 'an ISO 8601 date (midnight UTC) or date-time with its zone, as 2026-02-25T11:00:00Z',
};

const reason = {
  type: 'string',
  pattern: '\\S',
  maxLength: 2000,
  description: 'why it is meant, in at most 2000 characters',
};

/** JSON Schema of build.json. */
export const buildSchema = {
  type: 'object',
  required: ['released_at'],
  additionalProperties: false,
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../../build.schema.json". The compiler does not look at it.',
    },
    released_at: {
      ...instant,
      help: 'When the build is released: nobody sees it before, and builds are in order of it.',
    },
    note: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      help: 'What people should know of the build, as the version of the game.',
    },
    removed: {
      type: 'array',
      items: relativePath,
      help: 'Files of earlier builds that are gone; all others are inherited.',
    },
    amended: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'reason'],
        additionalProperties: false,
        properties: {
          at: { ...instant, help: 'When the build was corrected.' },
          reason: { ...reason, help: 'Why; the history shows it.' },
        },
      },
      help: 'Corrections after the release, oldest first; gamedata build --amend writes them.',
    },
    overrides: {
      type: 'array',
      items: {
        type: 'object',
        required: ['check', 'reason'],
        additionalProperties: false,
        properties: {
          check: { type: 'string', minLength: 1, help: 'The name of the gate, as its finding tells it.' },
          of: {
            type: 'string',
            minLength: 1,
            description: 'a list or an attribute of it, as characters.stats.atk',
            help: 'What it is about, as its finding tells it; absent: all that the gate finds.',
          },
          reason: { ...reason, help: 'Why what the gate found is meant.' },
        },
      },
      help: 'What gates find in the step from the build before, and is meant.',
    },
  },
};
