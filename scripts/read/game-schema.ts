import { ATTRIBUTE_KINDS, type Labels } from '../format/attributes.ts';
import { type Aliases, DATASET_KEY, LANGUAGE, SLUG } from '../format/dist-format.ts';
import {
  anyOf,
  boolean,
  either,
  integer,
  list,
  map,
  nothing,
  number,
  object,
  oneOf,
  type Schema,
  type Static,
  text,
} from '../format/json-schema.ts';
import { sourceSchema } from '../upstream/source.ts';
import { readOptions } from './formats.ts';
import { INSIDE, JSON_POINTER } from './patterns.ts';
import { instant, repositoryAddress } from './schema.ts';

// The files that maintainers write: game.json, build.json, the attributes and the aliases. Each schema is also a type.

export const schemaOf = (file: string) => ({
  $schema: text({ help: `The JSON Schema of this file, for editors: "${file}". The compiler ignores it.` }),
});
const isText = { minLength: 1 };
const isSet = { minItems: 1, uniqueItems: true };
/** The path of a file inside the game's folder. */
const pathTo = (extension: string) =>
  text({
    maxLength: 1000,
    pattern: `${INSIDE}\\.${extension}$`,
    description: `a path inside the game's folder that ends in .${extension}`,
  });
const jsonPath = pathTo('json');
const expressionPath = pathTo('jsonata');
/** Adds null, with which a change removes a value. */
const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({
  ...schema,
  description: `${schema.description}; or null, which removes it`,
  anyOf: [...(schema.anyOf as Schema[]), nothing],
});

export const RELATIVE_PATH = `${INSIDE}$`;
export const relativePath = text({
  minLength: 1,
  pattern: RELATIVE_PATH,
  description: 'a path inside the build\'s folder, without ".", ".." and backslashes',
});

const tableNames = { pattern: '^[A-Za-z][A-Za-z0-9_]*$', description: 'a name of letters, digits and _' };

const sha256 = text({
  pattern: '^[0-9a-f]{64}$',
  description: 'a SHA-256 as 64 hexadecimal digits in lower case',
});
const commitName = text({
  pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$',
  description: 'the whole name of a commit: 40 or 64 hexadecimal digits in lower case',
});
export const reason = text({
  pattern: '\\S',
  maxLength: 2000,
  description: 'the reason, in at most 2000 characters',
});

// Tables.

const field = text(isText);
const files = {
  ...relativePath,
  help: 'The path of a file in the folder of a build; or a pattern with a wildcard: then each file is a row of the table, keyed by file stem.',
};
export const tableOptions = {
  at: text({ pattern: JSON_POINTER, description: 'a JSON Pointer', help: 'Where in the file the table is.' }),
  optional: boolean({ help: 'Whether builds may lack the files; then the table is absent.' }),
  key: anyOf([field, list(field, isSet)], {
    description:
      'the name of a field, or a list of names; a name that begins with "/" is a JSON Pointer into the row',
    help: 'The key of a row: then the table is an object of rows, and a join is a look-up. The values of several fields are joined by ":".',
  }),
  many: boolean({ help: 'With key: each key has a list of rows, for one-to-many joins.' }),
  skip_keyless: boolean({
    help: 'With key: rows where the key is absent, null or empty are left out. Otherwise each of them is an error.',
  }),
  ...readOptions,
  regions: anyOf([oneOf([true]), list(text(), isSet)], {
    description: 'true, or a list of names of regions',
    help: 'The regions of game.json whose folders have these files: each gets a table, named as `cards_kr`. `from` takes the one name for all of them.',
  }),
};
const table = either(
  'object',
  object({ files }, tableOptions, { dependencies: { many: ['key'], skip_keyless: ['key'] } }),
  relativePath,
  {
    description: `${relativePath.description}, or {"files": …} with any of ${Object.keys(tableOptions).join(', ')}`,
  },
);
/** A table in game.json: only its files, or an object that also says how to read them. */
export type RawTable = Static<typeof table>;
// Attributes.

const words = (help: string) => text({ minLength: 1, maxLength: 500, help });
const labels = object(
  {},
  { label: words('The name in English.') },
  { patternProperties: { '^label_[a-z]{2,3}(_[a-z]+)?$': words('The name in another language.') } },
) as Schema<Labels>;

const attribute = object(
  {},
  {
    label: words('The name that the game shows, in English.'),
    description: words('The meaning, in one sentence.'),
    kind: oneOf(ATTRIBUTE_KINDS, {
      help: 'What the values are; by default `text` or `number`, and `reference` with `ref`. The unit of a percentage says whether it is a fraction (`fraction: 0.05 is 5 %`) or a number of hundredths (`%`), a date is ISO 8601, a color is #rrggbb, an image is its address.',
    }),
    unit: words('The unit of numbers, such as "seconds" or "stamina".'),
    level: words('The level or condition that the values are of. The attributes of an object inherit it.'),
    better: oneOf(['higher', 'lower'], { help: 'Which is better for a player; else the name shows it.' }),
    skills: list(text(), { minItems: 2, help: 'The skills that a list of costs is for, each for itself.' }),
    uncounted: list(text(), { help: 'What it costs to raise a character beside what the data has.' }),
    ref: words('The collection whose ids the values are: the key of a dataset, or `characters`.'),
    expected: object(
      {},
      { min: number({ help: 'The smallest number.' }), max: number({ help: 'The largest number.' }) },
      { help: 'The range that numbers are expected in.' },
    ),
    values: anyOf(
      [
        list({ type: ['string', 'number', 'boolean'] } as Schema<string | number | boolean>, { minItems: 1 }),
        map(anyOf([text(isText), labels])),
      ],
      {
        description: 'a list of values, or an object with the label of each value',
        help: 'All values that there can be: a list, or an object with the label of each value, which is a text or {"label": …, "label_ja": …}.',
      },
    ),
  },
  { patternProperties: labels.patternProperties },
);
/** The definition of an attribute in game.json. */
export type AttributeDefinition = Static<typeof attribute> & Labels;

/** Its attributes are those of every list that does not describe them itself. */
export const EVERY_COLLECTION = '*';

/**
 * The definitions of attributes in game.json: by collection (`characters`, the key of a dataset, or `*`), then by dotted key. A step of a key may be
 * `*`, for any name.
 */
export type AttributeDefinitions = Readonly<Record<string, Readonly<Record<string, AttributeDefinition>>>>;

export const attributesSchema = map(
  map(attribute as Schema<AttributeDefinition>, { propertyNames: { minLength: 1, maxLength: 500 } }),
  { properties: schemaOf('../attributes.schema.json') },
);

/** aliases.json: additional names of records. */
export const aliasesSchema = object({}, schemaOf('../aliases.schema.json'), {
  patternProperties: {
    [DATASET_KEY]: map(
      list(text({ minLength: 1, maxLength: 100, pattern: '\\S' }), {
        ...isSet,
        maxItems: 20,
        description: 'a list of 1 to 20 different names',
        help: 'What people call the record: short names, former names, other spellings. Search ranks them as names.',
      }),
      {
        help: 'Further names by id, of `characters` or of the dataset with this key: {"10000052": ["raiden", "ei"]}.',
      },
    ),
  },
}) as Schema<Aliases & { $schema?: string }>;

// Builds.

export const renamedSchema = map(
  map(text(isText), { description: 'the new ids by the old ones: {"old id": "new id"}' }),
);

/** It becomes the path of a copy, and is printed. */
const pathOfFile = { minLength: 1, maxLength: 1000, pattern: `${INSIDE}(?<!/)$` };

const references = object(
  {
    commit: { ...commitName, help: 'The commit that has the files.' },
    files: map(
      either(
        'object',
        object({ path: text({ ...pathOfFile, description: 'a path inside the repository' }), sha256 }),
        { ...sha256, description: `${sha256.description}, or {"path": …, "sha256": …}` },
      ),
      {
        minProperties: 1,
        maxProperties: 100_000,
        propertyNames: text({
          ...pathOfFile,
          not: { const: 'build.json' },
          description: relativePath.description,
        }),
        help: 'The SHA-256 of each file, by its path in the folder of the build; {"path": …, "sha256": …} if it has another path in the repository.',
      },
    ),
  },
  {
    git: {
      ...repositoryAddress,
      help: 'The repository. Without it, the one that "source" in game.json names.',
    },
  },
  { description: '{"commit": …, "files": {path: SHA-256}}' },
);
/** Files of a build outside its folder. Without `git`, they are in the repository of `source` in game.json. */
export type RawReferences = Static<typeof references>;

const packageText = text({ pattern: '^\\S{1,300}$', description: 'a text without spaces' });
const packageOrigin = object({ npm: packageText, version: packageText, integrity: packageText }, undefined, {
  help: 'The package of the npm registry that the build was made from, and the SHA-512 of its tarball, as gamedata pull found it.',
});
/** The npm package version that a build was made from, with the SHA-512 of its tarball as `sha512-…`. */
export type PackageOrigin = Static<typeof packageOrigin>;

const amendment = object(
  {
    at: { ...instant, help: 'When the build was corrected.' },
    reason: { ...reason, help: 'The reason; the history shows it.' },
  },
  {
    changes: {
      ...jsonPath,
      help: 'The file with what the correction changed, which shows what was served before.',
    },
  },
);
/** A correction of a released build in build.json. */
export type RawAmendment = Static<typeof amendment>;

const override = object(
  {
    check: text({ minLength: 1, help: 'The name of the check, as its finding shows it.' }),
    reason: { ...reason, help: 'Why the change is intended.' },
  },
  {
    of: text({
      minLength: 1,
      description: 'a list or one of its attributes, such as characters.stats.atk',
      help: 'The list or attribute that the finding is about, as it shows it; absent: all findings of the check.',
    }),
  },
);
/** Accepts the changes that a check reports for the list or attribute `of`; without `of`, all changes that it reports. */
export type Override = Static<typeof override>;

/** The length of a note or title, in characters. */
const NOTE_LENGTH = { minLength: 1, maxLength: 2000 };
const TITLE_LENGTH = { minLength: 1, maxLength: 200 };

export const overrides = list(override, {
  help: 'Changes from the previous build that checks report although they are intended.',
});

export const buildSchema = object(
  {
    released_at: {
      ...instant,
      help: 'When the build is released. The API hides it until then, and orders builds by this time.',
    },
  },
  {
    ...schemaOf('../../build.schema.json'),
    released_in: map(instant, {
      minProperties: 1,
      maxProperties: 50,
      propertyNames: tableNames,
      description: 'an object with the time of each region',
      help: 'When the build is released in regions where that differs from released_at: {"kr": "2026-03-12T02:00:00Z"}. The history shows it; the API hides and orders builds by released_at alone.',
    }),
    note: text({
      ...NOTE_LENGTH,
      help: 'What people should know about the build, such as the version of the game.',
    }),
    from: either('array', list(references, { minItems: 1, maxItems: 100 }), references, {
      help: 'Files of the build that are in a repository instead of its folder: {"git": …, "commit": …, "files": {path: SHA-256}}, or a list of these. gamedata fetches them when it needs them.',
    }),
    package: packageOrigin,
    removed: list(relativePath, {
      help: 'Files of earlier builds that no longer exist; all others are inherited.',
    }),
    amended: list(amendment, {
      help: 'Corrections after the release, oldest first; gamedata build --amend writes them.',
    }),
    carried: map(reason, {
      help: 'Datasets that stay as they were in the build before, with the reason: {"arenas": "…"}; also records, by list and id: {"characters/ann": "…"}. No dataset that the roster refers to.',
    }),
    as_of: map(
      { ...instant, maxLength: 10, description: 'a day, such as 2025-10-10' },
      {
        help: 'The day of the source of collections that are older than the release: {"characters": "2025-10-10"}, by `characters` or the key of a dataset.',
      },
    ),
    renamed: anyOf([renamedSchema, jsonPath], {
      description:
        '{"characters": {"old id": "new id"}}, by collection; or a path inside the game\'s folder that ends in .json',
      help: 'Records that have other ids than in the build before, by collection: {"characters": {"old id": "new id"}}; or the file that has this, by its path inside the game\'s folder. They keep their history.',
    }),
    overrides,
  },
);

// Games.

const expression = anyOf(
  [
    text(isText),
    list(text(), { minItems: 1 }),
    object({
      file: {
        ...expressionPath,
        description: undefined,
        help: "The expression's file, by its path inside the game's folder; comments are allowed in it.",
      },
    }),
  ],
  {
    description:
      'an expression: a text, a list of its lines, or {"file": a path inside the game\'s folder that ends in .jsonata}',
  },
);
/** A text, a list of its lines, or its file. */
export type RawExpression = Static<typeof expression>;

const help = {
  tables:
    'The raw tables, by the name that expressions use: the path of a file in the folder of a build, or a pattern; then each file is a row, keyed by file stem.',
  datasets:
    'Datasets by their key in snake_case: row by row from a table, or by one expression over all tables. Files of a build that no table names are datasets, unchanged.',
};
const from = anyOf([field, list(field, isSet)], {
  description: 'the name of a table, or a list of names',
  help: 'The table whose rows become records. Of several tables, all rows by key: of rows with the same key, that of the first table counts.',
});
const where: typeof expression = {
  ...expression,
  help: 'Which rows to use: an expression that returns true for them. `$` is the row, `$key` its key, `$tables` are all tables.',
};
const entry: typeof expression = {
  ...expression,
  help: 'What a row becomes: an expression that returns an object with `id` and `name`. `$` is the row, `$key` its key, `$tables` are all tables.',
};
const record: typeof expression = {
  ...expression,
  help: 'What the full record of a character has in addition to its entry in the roster: an expression that returns an object.',
};
const rowMapping = object({ from, entry }, { where });
type RawRowMapping = Static<typeof rowMapping>;
const dataset: Schema<RawExpression | RawRowMapping> = {
  description: `${expression.description}; or {"from": …, "where": …, "entry": …}`,
  anyOf: [...(expression.anyOf as Schema[]), rowMapping],
};
export type RawDataset = Static<typeof dataset>;
const roster = object(
  { from, entry },
  { where, record },
  {
    help: 'How the rows of a table become the roster. Without it, the file characters.json (or .csv …) of a build is the roster, unchanged.',
  },
);
type RawRosterMapping = Static<typeof roster>;

const change = object(
  {
    from: text({
      description: 'the name of a build',
      help: 'The first build with this change. It holds until a later change replaces it.',
    }),
  },
  {
    tables: map({ if: { type: 'null' }, else: table } as Schema<RawTable | null>, {
      propertyNames: tableNames,
      help: `Replaces the table of that name; null removes it. ${help.tables}`,
    }),
    roster: object(
      {},
      { from, where: orNull(where), entry, record: orNull(record) },
      {
        type: ['object', 'null'],
        help: 'Replaces the parts of the mapping that it names. null removes the mapping; then a file characters.json (or .csv …) is the roster.',
      },
    ) as Schema<{ [Part in keyof RawRosterMapping]?: RawRosterMapping[Part] | null } | null>,
    datasets: map(orNull(dataset), {
      help: `Replaces the dataset of that key; null removes it. ${help.datasets}`,
    }),
  },
);
/** A change from a build on. A table, a part of the roster's mapping or a dataset replaces the earlier one; null removes it. */
export type RawChange = Static<typeof change>;

const slug = text({ pattern: SLUG, description: 'the slug of a game' });
const listOf = <T>(items: Schema<T>, description: string, more: object = {}) =>
  list(items, { ...isSet, maxItems: 20, description, ...more });

/** One object, so that it is compiled only once in a process. */
export const gameSchema = object(
  { title: text({ ...TITLE_LENGTH, help: "The game's name, as players know it." }) },
  {
    ...schemaOf('../game.schema.json'),
    other_names: listOf(text(TITLE_LENGTH), 'a list of names', {
      help: 'What else players call the game, in any language: short names, its title in other languages. Search knows them.',
    }),
    language: text({
      pattern: LANGUAGE,
      description: 'a language such as en, ja or zh_cn',
      help: 'The language of `name` and of all texts whose attributes name no language. Without it, `lang` cannot request it.',
    }),
    played_in: text({
      pattern: LANGUAGE,
      description: 'a language such as en, ja or zh_cn',
      help: 'The language of the game itself, where `language` is that of translations. A change of a text in another language is no change of the game.',
    }),
    cadence_days: integer({
      minimum: 1,
      maximum: 1000,
      description: 'a number of days',
      help: 'How many days usually pass between two patches of the game, such as 42. Without it, the usual interval of its builds counts.',
    }),
    successor: {
      ...slug,
      help: 'Only of a game that has ended, which gets no newer builds: the game that continues it.',
    },
    other_regions: listOf(slug, 'a list of slugs of games', {
      help: 'The slugs of the same game in other regions, which have builds and texts of their own.',
    }),
    images: object(
      {
        hosts: listOf(text({ pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' }), 'a list of host names'),
        credit: text({ minLength: 1, maxLength: 200, help: 'Whose images they are.' }),
        terms: text({
          ...{
            maxLength: 500,
            pattern: '^https://\\S+$',
            description: 'an address that begins with https://',
          },
          help: 'The address of the terms under which the images may be shown.',
        }),
      },
      undefined,
      {
        help: 'Where the images are whose addresses attributes of the kind `image` have. They are shown from there, with the credit, and never copied.',
      },
    ),
    draft: boolean({
      help: 'Of a new game: its builds may still change, and are not recorded. gamedata publish refuses it. Remove it when the mapping is right.',
    }),
    source: {
      ...sourceSchema,
      help: 'Where gamedata pull fetches new builds: a git repository, and how its commits name and date builds.',
    } as Schema<{ git?: string; hold_on?: readonly string[] }>,
    helpers: {
      ...expressionPath,
      help: "Functions that all expressions may call: the path of a .jsonata file in the game's folder with $name := function($argument) { … }; for each.",
    },
    regions: map(
      { ...relativePath, description: 'a folder inside the folder of a build, such as "jp/"' },
      {
        propertyNames: tableNames,
        help: 'The folder of each region inside that of a build, the region that counts first first: {"jp": "jp/", "kr": "kr/"}. A table with "regions": true is one table for each of them.',
      },
    ),
    tables: map(table, { propertyNames: tableNames, help: help.tables }),
    roster,
    datasets: map(dataset, { help: help.datasets }),
    schemas: map(jsonPath, {
      help: "JSON Schemas (draft 7) for the records as they are served: by the dataset's key, or `characters`, the path of a file in the game's folder.",
    }),
    attributes: anyOf([attributesSchema, jsonPath], {
      description:
        "the attributes by collection and dotted key, or the path of a file with them inside the game's folder that ends in .json",
      help: 'What attributes mean, by collection (`characters`, the key of a dataset, or `*` for all lists) and dotted key: {"characters": {"stats.atk": {"label": "ATK", …}}}. Or the path of a file that says it.',
    }),
    // For editors, changes/change-checker.ts describes them.
    checks: map(map(number())),
    changes: list(change, {
      help: 'Changes of the definition from a build on, for raw files that change their shape.',
    }),
  },
);
export type RawGameDefinition = Static<typeof gameSchema>;
/** The part of `game.json` about tables and records. */
export type RawMapping = Pick<RawGameDefinition, 'tables' | 'roster' | 'datasets'>;
/** The thresholds of checks, by check. */
export type CheckSettings = Readonly<Record<string, Readonly<Record<string, number>>>>;
/** The folder of each region inside that of a build, in order of precedence. */
export type Regions = Readonly<Record<string, string>>;
