import { ATTRIBUTE_KINDS, type AttributeKind, type Labels } from '../format/attributes.ts';
import { LANGUAGE, SLUG } from '../format/dist-format.ts';
import { relativePath, tableNames, tableOrNullSchema, tableSchema } from './definition.ts';
import { INSIDE } from './patterns.ts';
import { instant, repositoryAddress } from './schema.ts';

/** The labels of a closed set: each value with its label, or the values alone. */
export type RawValues = readonly (string | number | boolean)[] | Readonly<Record<string, string | Labels>>;

/** What game.json says about an attribute. */
export type AttributeDefinition = {
  description?: string;
  kind?: AttributeKind;
  unit?: string;
  level?: string;
  ref?: string;
  expected?: { min?: number; max?: number };
  values?: RawValues;
} & Labels;

/** The collection whose attributes are those of every list that does not describe them itself. */
export const EVERY_COLLECTION = '*';

/**
 * What game.json says about attributes: by collection (`characters`, the key of a dataset, or `*`), then by dotted key. A step of a key may
 * be `*`: any name.
 */
export type AttributeDefinitions = Readonly<Record<string, Readonly<Record<string, AttributeDefinition>>>>;

const text = (help: string) => ({ type: 'string', minLength: 1, maxLength: 500, help });
const labels = {
  type: 'object',
  additionalProperties: false,
  properties: { label: text('The name in English.') },
  patternProperties: { '^label_[a-z]{2,3}(_[a-z]+)?$': text('The name in another language.') },
};

const attribute = {
  type: 'object',
  additionalProperties: false,
  properties: {
    label: text('The name that the game shows, in English.'),
    description: text('The meaning, in one sentence.'),
    kind: {
      enum: ATTRIBUTE_KINDS,
      help: 'What the values are; by default `text` or `number`, and `reference` with `ref`. The unit of a percentage says whether it is a fraction (`fraction: 0.05 is 5 %`) or a number of hundredths (`%`), a date is ISO 8601, a color is #rrggbb, an image is its address.',
    },
    unit: text('The unit of numbers, such as "seconds" or "stamina".'),
    level: text('The level or condition that the values are of. The attributes of an object inherit it.'),
    ref: text('The collection whose ids the values are: the key of a dataset, or `characters`.'),
    expected: {
      type: 'object',
      additionalProperties: false,
      properties: {
        min: { type: 'number', help: 'The smallest number.' },
        max: { type: 'number', help: 'The largest number.' },
      },
      help: 'The range that numbers are expected in.',
    },
    values: {
      description: 'a list of values, or an object with the label of each value',
      anyOf: [
        { type: 'array', items: { type: ['string', 'number', 'boolean'] }, minItems: 1 },
        {
          type: 'object',
          additionalProperties: { anyOf: [{ type: 'string', minLength: 1 }, labels] },
        },
      ],
      help: 'All values that there can be: a list, or an object with the label of each value, which is a text or {"label": …, "label_ja": …}.',
    },
  },
  patternProperties: labels.patternProperties,
};

/** JSON Schema of attribute definitions. */
export const attributesSchema = {
  type: 'object',
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../attributes.schema.json". The compiler ignores it.',
    },
  },
  additionalProperties: {
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 500 },
    additionalProperties: attribute,
  },
};

/** Schema of the name of a commit. */
const commitName = {
  type: 'string',
  pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$',
  description: 'the whole name of a commit: 40 or 64 hexadecimal digits in lower case',
};

// `help` is the text that editors show for a property; `description` is the "expected" of a finding.

/** Schema of a reason. */
export const reason = {
  type: 'string',
  pattern: '\\S',
  maxLength: 2000,
  description: 'the reason, in at most 2000 characters',
};

/** JSON Schema of renumbered records. */
export const renamedSchema = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    additionalProperties: { type: 'string', minLength: 1 },
    description: 'the new ids by the old ones: {"old id": "new id"}',
  },
};

const sha256 = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'a SHA-256 as 64 hexadecimal digits in lower case',
};

/** Without a path of a folder and control characters: it becomes the path of a copy, and is printed. */
const pathOfFile = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  pattern: `^(?!.*\\p{Cc})${INSIDE.slice(1)}(?<!/)$`,
};

const references = {
  type: 'object',
  description: '{"commit": …, "files": {path: SHA-256}}',
  required: ['commit', 'files'],
  additionalProperties: false,
  properties: {
    git: {
      ...repositoryAddress,
      help: 'The repository. Without it, the one that "source" in game.json names.',
    },
    commit: { ...commitName, help: 'The commit that has the files.' },
    files: {
      type: 'object',
      minProperties: 1,
      maxProperties: 100_000,
      propertyNames: { ...pathOfFile, not: { const: 'build.json' }, description: relativePath.description },
      additionalProperties: {
        if: { type: 'object' },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
        then: {
          type: 'object',
          required: ['path', 'sha256'],
          additionalProperties: false,
          properties: {
            path: { ...pathOfFile, description: 'a path inside the repository' },
            sha256,
          },
        },
        else: { ...sha256, description: `${sha256.description}, or {"path": …, "sha256": …}` },
      },
      help: 'The SHA-256 of each file, by its path in the folder of the build; {"path": …, "sha256": …} if it has another path in the repository.',
    },
  },
};

const packageText = { type: 'string', pattern: '^\\S{1,300}$', description: 'a text without spaces' };

/** JSON Schema of build.json. */
export const buildSchema = {
  type: 'object',
  required: ['released_at'],
  additionalProperties: false,
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../../build.schema.json". The compiler ignores it.',
    },
    released_at: {
      ...instant,
      help: 'When the build is released. The API hides it until then, and orders builds by this time.',
    },
    released_in: {
      type: 'object',
      minProperties: 1,
      maxProperties: 50,
      propertyNames: tableNames,
      additionalProperties: instant,
      description: 'an object with the time of each region',
      help: 'When the build is released in regions where that differs from released_at: {"kr": "2026-03-12T02:00:00Z"}. The history shows it; the API hides and orders builds by released_at alone.',
    },
    note: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      help: 'What people should know about the build, such as the version of the game.',
    },
    from: {
      if: { type: 'array' },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
      then: { type: 'array', minItems: 1, maxItems: 100, items: references },
      else: references,
      help: 'Files of the build that are in a repository instead of its folder: {"git": …, "commit": …, "files": {path: SHA-256}}, or a list of these. gamedata fetches them when it needs them; gamedata vendor copies them.',
    },
    package: {
      ...{ type: 'object', required: ['npm', 'version', 'integrity'], additionalProperties: false },
      properties: { npm: packageText, version: packageText, integrity: packageText },
      help: 'The package of the npm registry that the build was made from, and the SHA-512 of its tarball, as gamedata pull found it.',
    },
    removed: {
      type: 'array',
      items: relativePath,
      help: 'Files of earlier builds that no longer exist; all others are inherited.',
    },
    amended: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'reason'],
        additionalProperties: false,
        properties: {
          at: { ...instant, help: 'When the build was corrected.' },
          reason: { ...reason, help: 'The reason; the history shows it.' },
          changes: {
            type: 'string',
            maxLength: 1000,
            pattern: `${INSIDE}\\.json$`,
            description: "a path inside the game's folder that ends in .json",
            help: 'The file with what the correction changed, which shows what was served before.',
          },
          commit: { ...commitName, help: 'The later commit of upstream that gamedata pull took.' },
        },
      },
      help: 'Corrections after the release, oldest first; gamedata build --amend writes them.',
    },
    carried: {
      type: 'object',
      additionalProperties: reason,
      help: 'Datasets that stay as they were in the build before, with the reason: {"arenas": "…"}. Nothing that the roster refers to.',
    },
    renamed: {
      description:
        '{"characters": {"old id": "new id"}}, by collection; or a path inside the game\'s folder that ends in .json',
      anyOf: [renamedSchema, { type: 'string', maxLength: 1000, pattern: `${INSIDE}\\.json$` }],
      help: 'Records that have other ids than in the build before, by collection: {"characters": {"old id": "new id"}}; or the file that has this, by its path inside the game\'s folder. They keep their history.',
    },
    overrides: {
      type: 'array',
      items: {
        type: 'object',
        required: ['check', 'reason'],
        additionalProperties: false,
        properties: {
          check: { type: 'string', minLength: 1, help: 'The name of the gate, as its finding shows it.' },
          of: {
            type: 'string',
            minLength: 1,
            description: 'a list or one of its attributes, such as characters.stats.atk',
            help: 'The list or attribute that the finding is about, as it shows it; absent: all findings of the gate.',
          },
          reason: { ...reason, help: 'Why the change is intended.' },
        },
      },
      help: 'Changes from the previous build that gates report although they are intended.',
    },
  },
};

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
  const { sourceSchema } = await import('../upstream/source.ts');
  const source = { ...(sourceSchema as object as typeof properties.source), help: properties.source.help };
  return { ...gameSchema, properties: { ...properties, source } };
}
