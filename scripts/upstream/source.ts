import { CHECK_NAMES } from '../findings.ts';
import * as schema from '../format/json-schema.ts';
import type { RawGameDefinition } from '../read/game-schema.ts';
import { INSIDE, JSON_POINTER } from '../read/patterns.ts';
import { instant, repositoryAddress } from '../read/schema.ts';

// `source` in game.json: the origin of a game's builds. Each schema is also a type.

/** As a folder, it stands for the whole repository. */
export const WHOLE_REPOSITORY = '.';

const words = (maxLength: number, description: string, more: object = {}) =>
  schema.text({ minLength: 1, maxLength, description, ...more });
const byName = <T>(propertyNames: object, values: schema.Schema<T>, help?: string, more: object = {}) =>
  schema.map(values, { minProperties: 1, maxProperties: 1000, propertyNames, help, ...more });
const some = <T>(items: schema.Schema<T>, more: object = {}) => schema.list(items, { minItems: 1, ...more });
const whole = (minimum: number, maximum: number, help: string, what = 'a number') =>
  schema.integer({ minimum, maximum, description: `${what}, from ${minimum} to ${maximum}`, help });
const withHelp = <T>(of: schema.Schema<T>, help: string): schema.Schema<T> => ({ ...of, help });

const INSIDE_REPOSITORY = 'a path inside the repository, without ".", ".." and backslashes';
const upstreamPath = words(1000, INSIDE_REPOSITORY, { pattern: `${INSIDE}$` });
const targetPath = words(1000, "a path inside the build's folder", { pattern: `${INSIDE}$` });
const webAddress = words(
  2000,
  'an address such as https://example.org/dump.json, without a user name and password',
  { pattern: '^https?://[^\\s/@#\\\\]+/[^\\s#\\\\]*$' },
);
const pointer = (help: string) =>
  words(1000, 'a JSON Pointer', { minLength: 0, pattern: JSON_POINTER, help });
const column = (help: string) => words(200, 'the name of a column', { help });
const columns = (description: string, help?: string) =>
  some(schema.text({ minLength: 1 }), { uniqueItems: true, description, help });
const capturing = (help: string) =>
  words(
    1000,
    'a pattern (RE2) with one group in parentheses, such as "^Update (\\\\d+\\\\.\\\\d+)"; further groups are written (?:…)',
    { format: 'one-group', help },
  );

const WAYS = {
  subject: capturing("A pattern over the first line of a commit's message; other commits are ignored."),
  tag: capturing("A pattern over the names of the repository's tags; other tags are ignored."),
  file: withHelp(upstreamPath, 'A JSON file in the repository, with `at`.'),
};
const inFile = {
  at: pointer('Where in the file the text is.'),
  pattern: capturing('A pattern over the text in the file. Without it, all of the text is used.'),
};
const everyWay = schema.object({}, { ...WAYS, ...inFile });
/** Reads a text from a commit: from its subject, a tag, or a JSON file. */
export type RawReading = schema.Static<typeof everyWay>;

/** Exactly one of several ways to read a text, each identified by its first member. */
function reading(ways: readonly (keyof typeof WAYS)[], help?: string): schema.Schema<RawReading> {
  const named = ways.map((way) => (way === 'file' ? '{"file": …, "at": …}' : `{"${way}": …}`));
  const properties = { ...Object.fromEntries(ways.map((way) => [way, WAYS[way]])), ...inFile };
  return schema.object({}, properties, {
    description: `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`,
    dependencies: { file: ['at'], at: ['file'], pattern: ['file'] },
    oneOf: ways.map((way) => ({ required: [way] })),
    help,
  });
}

const mappedPaths = byName(
  {
    pattern: `${INSIDE}$|^\\.$`,
    description: `${INSIDE_REPOSITORY}; or "${WHOLE_REPOSITORY}" for all of it`,
  },
  targetPath,
  'Files and folders of the repository, and their paths in a build. Without it, both are the same.',
);
const trimOfFile = schema.object(
  {},
  {
    at: words(1000, 'names of members with dots between them', {
      help: 'Where the rows are: "items", or "*" for the members of each member. Other members are left out.',
    }),
    columns: columns(
      'a list of names of columns',
      'The columns that stay; "a.b" stays inside the object "a" or is so in the header of CSV, and * stands for all names.',
    ),
    rows: byName(
      {},
      some({ type: ['string', 'number', 'boolean'] } as schema.Schema<string | number | boolean>),
      'The rows that stay: those that have one of the values in the column.',
      { description: 'the values of rows that stay, by column' },
    ),
    named_in: byName(
      {},
      columns('a list of patterns of files'),
      'The rows that stay: those whose value in the column occurs in one of these files, such as texts by "$key".',
      { description: 'patterns of files, by column' },
    ),
  },
  { minProperties: 1, description: '{"columns": [name, …], "rows": {column: [value, …]}}' },
);
/** What is removed from a file. */
export type RawTrim = schema.Static<typeof trimOfFile>;

const part = schema.object(
  {},
  {
    at: pointer('Where in the large file it is; a step * stands for all members.'),
    each: column('Makes a file of each group of rows with the same value there; $key of each row.'),
  },
);
/** How a large file is divided into smaller ones. */
export type RawPart = schema.Static<typeof part>;

const acceptAfter = schema.object({
  builds: whole(1, 100, 'How many later builds have to have the change.'),
  days: whole(0, 365, 'How many days after it the last of them has to be.'),
});
/** When a change that upstream keeps is accepted without a person: after a number of later builds and of days. */
export type AcceptAfter = schema.Static<typeof acceptAfter>;
export const ACCEPT_AFTER: AcceptAfter = { builds: 2, days: 7 };
/** How long after its first commit a build is complete. */
export const SETTLE_MINUTES = 60;

const megabytes = (help: string) => whole(1, 2048, help, 'a number of MB');
const limits = schema.object(
  {},
  {
    read_mb: megabytes('A file of upstream, or the files of an archive together (default: 512).'),
    file_mb: megabytes('A file that is copied to the folder of a build (default: 50).'),
    build_mb: megabytes('All files that are copied to the folder of a build (default: 200).'),
    fetch_seconds: whole(1, 86_400, 'How long a fetch may take (default: 900).', 'a number of seconds'),
  },
  { help: 'How much is read for a build, and copied to its folder. A build with more is held back.' },
);
const version = schema.object(
  {
    build: schema.text({ minLength: 1, help: 'The name of the build.' }),
    released_at: withHelp(instant, 'When it is released.'),
  },
  {},
  { description: '{"build": …, "released_at": …}' },
);

const source = schema.object(
  {
    build: {
      if: { type: 'string' },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
      then: { enum: ['date'], description: '"date", or {"subject": …}, {"tag": …} or {"file": …, "at": …}' },
      else: reading(['subject', 'tag', 'file']),
      help: 'The name of the build that a commit belongs to. "date" is the date of the commit in UTC, such as 2026-03-09.',
    } as schema.Schema<RawReading | 'date'>,
  },
  {
    git: withHelp(repositoryAddress, 'The repository. With --allow-local also http:// and file://.'),
    files: byName(webAddress, targetPath, 'Addresses of files, and their paths in the folder of a build.'),
    archive: withHelp(webAddress, 'The address of a tar.gz with the files of a build.'),
    npm: words(214, 'the name of a package, without a version', {
      pattern: '^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$',
      help: 'A package of the registry that npm on this machine uses. No script of the package runs.',
    }),
    versions: byName({}, version, 'Which build each version of the package is, and when it was released.'),
    split: schema.object(
      {
        file: withHelp(upstreamPath, 'A JSON file of the package.'),
        build: column('The column with the name of a group: that of a build.'),
        date: column('The column with its date.'),
      },
      { at: pointer('Where its rows are; a step * stands for all members.') },
      {
        help: 'Splits the newest version into builds by a column of dates: each has the groups until then, of the files that "each" in "parts" makes.',
      },
    ),
    parts: byName(
      upstreamPath,
      byName(targetPath, part),
      'Files that parts of large JSON files become: {"large.json": {"raw/units.json": {"at": "/units"}}}.',
    ),
    branch: words(200, 'the name of a branch', {
      pattern: '^[A-Za-z0-9_][A-Za-z0-9._/-]*$',
      help: "The branch. Without it, the repository's default branch.",
    }),
    paths: mappedPaths,
    released_at: reading(
      ['subject', 'file'],
      "When the build is released: an ISO 8601 date or date-time, or the seconds since 1970. Without it, the date of the build's first commit.",
    ),
    settle_minutes: whole(
      0,
      43_200,
      'How long after its first commit a build is complete: of its commits until then the last one counts (default: 60).',
      'a number of minutes',
    ),
    licence: words(200, 'a text of at most 200 characters', {
      help: 'The licence of the data as upstream states it, such as "MIT", or "none stated". gamedata review shows it.',
    }),
    trim: byName(
      targetPath,
      trimOfFile,
      'What gamedata add and pull leave out of JSON, YAML and CSV files, by a pattern of their paths in a build.',
      { minProperties: 0 },
    ),
    hold_on: schema.list(schema.oneOf(CHECK_NAMES, { description: 'the name of a check' }), {
      uniqueItems: true,
      description: 'a list of names of checks',
      help: 'The checks whose findings hold a build; what other checks of changes find is a warning. Without it: all that docs/maintainers/checks.md does not call warnings.',
    }),
    accept_after: schema.anyOf([acceptAfter, { const: false } as schema.Schema<false>], {
      description: '{"builds": 2, "days": 7} with other numbers, or false',
      help: 'When a change that upstream keeps is accepted without a person: after so many later builds that are held back for the same, and so many days (default: 2 builds and 7 days). false: never.',
    }),
    limits,
    keep: schema.oneOf(['copies', 'references'], {
      description: '"copies" or "references"',
      help: 'Whether a pull copies the files of a build to its folder (default), or names their commit and SHA-256 in build.json.',
    }),
  },
);
/** The origin of a game's builds in `game.json`: one of `git`, `files`, `archive` and `npm`. Only `npm` has no `build`. */
export type RawSource = schema.Static<typeof source>;

/** JSON Schema of `source` in game.json. */
export const sourceSchema: schema.Schema = {
  ...source,
  required: [],
  oneOf: ['git', 'files', 'archive', 'npm'].map((kind) => ({ required: [kind] })),
  if: { required: ['npm'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: { oneOf: [{ required: ['versions'] }, { required: ['split'] }] },
  else: { required: ['build'] },
  dependencies: {
    ...{ versions: ['npm'], split: ['npm'], parts: ['npm'] },
    ...{ branch: ['git'], settle_minutes: ['git'], keep: ['git'] },
    ...{ build: { not: { required: ['npm'] } }, released_at: { not: { required: ['npm'] } } },
    paths: { not: { required: ['files'] } },
  },
  description:
    'an object with one of "git", "files" and "archive", and "build"; or with "npm", and "versions" or "split"',
};

/** Returns the `source` of a game.json, which matches `sourceSchema`. */
export function sourceOf({ source: raw }: RawGameDefinition): RawSource | undefined {
  return raw as RawSource | undefined;
}

const MEGABYTE = 1024 * 1024;

/** The limits of a source: bytes that are read from a file, copied from a file and from a build, and ms per download. */
export function limitsOfSource({ limits = {} }: Pick<RawSource, 'limits'>) {
  const { read_mb = 512, file_mb = 50, build_mb = 200, fetch_seconds = 900 } = limits;
  const [read, file, build] = [read_mb * MEGABYTE, file_mb * MEGABYTE, build_mb * MEGABYTE];
  return { read, file, build, maxMs: fetch_seconds * 1000 };
}

/** The files that are read from commits, in addition to those of the tables. */
export function filesThatName({ build, released_at }: Pick<RawSource, 'build' | 'released_at'>): string[] {
  return [build, released_at].flatMap((each) => (typeof each === 'object' ? (each.file ?? []) : []));
}
