import { HOLD_ON } from '../../changes/checks.ts';
import { CHECK_NAMES, type CheckName } from '../../findings.ts';
import { JSON_POINTER, type RawGameDefinition } from '../../read/definition.ts';
import { instant, repositoryAddress } from '../../read/game-schema.ts';
import { INSIDE } from '../../read/patterns.ts';
import type { RawLimits } from '../add/limits.ts';
import { type RawTrim, trimSchema } from '../add/trim.ts';
import type { AcceptAfter } from './accept.ts';
import type { RawPart } from './split-file.ts';

/** Reads a text from a commit: from its subject, from a tag on it, from the path of a folder in it, or from a JSON file in it. */
export interface RawReading {
  /** A pattern over the subject; its group is the text. */
  subject?: string;
  /** A pattern over the names of tags; its group is the text. */
  tag?: string;
  /** A pattern over the paths of folders; its group is the text. Each of the folders is a build. */
  folder?: string;
  /** The path of a JSON file in the repository, with `at`, the JSON Pointer to the text in it. */
  file?: string;
  at?: string;
  /** A pattern over the text at `at`; its group is the text. */
  pattern?: string;
}

/** Where the builds of a game come from, as `game.json` says. */
export interface RawSource {
  /** One of `git`, `files`, `archive` and `npm`. */
  git?: string;
  /** Addresses of files, and the paths of the files in the folder of a build. */
  files?: Record<string, string>;
  /** The address of a zip or tar archive. */
  archive?: string;
  /** The name of a package of the npm registry. */
  npm?: string;
  /** The builds that versions of the package are. */
  versions?: Record<string, { build: string; released_at: string }>;
  /** How the newest version of the package is split into builds. */
  split?: RawSplit;
  /** Files that parts of large JSON files become, by their paths in the folder of a build, by the path of the large file. */
  parts?: Record<string, Record<string, RawPart>>;
  /** What is left out of files, by a pattern of their paths in the folder of a build. */
  trim?: Record<string, RawTrim>;
  branch?: string;
  /** Files and folders of the repository, and what they are called in the folder of a build. */
  paths?: Record<string, string>;
  build: RawReading | 'date';
  /** Absent: the date of the build's first commit. */
  released_at?: RawReading;
  settle_minutes?: number;
  /** Further repositories, such as those of other regions. Their files are taken as they were when the commit of the build was made. */
  others?: RawOtherSource[];
  /** The licence of the data, as upstream states it. */
  licence?: string;
  /** What happens when upstream changes the newest build after it was taken (default: hold). */
  later_commits?: 'hold' | 'take';
  limits?: RawLimits;
  /** Whether a pull copies files or names them by reference (default: copies). */
  keep?: 'copies' | 'references';
  /** The checks whose findings hold a build (default: `HOLD_ON`); all others warn. */
  hold_on?: CheckName[];
  /** When a change that upstream keeps is accepted without a person (default: `ACCEPT_AFTER`); false for never. */
  accept_after?: AcceptAfter | false;
}

/** A column of dates, by which one version of a package is split into builds. */
export interface RawSplit {
  /** A JSON file of the package, and a JSON Pointer to its rows. */
  file: string;
  at?: string;
  /** The column with the name of a group of rows, and that with its date. */
  build: string;
  date: string;
}

/** What a game.json says about it, which matches `sourceSchema`. */
export function sourceOf({ source }: RawGameDefinition): RawSource | undefined {
  return source as RawSource | undefined;
}

/** A repository whose files belong to the builds that another one names. */
export interface RawOtherSource {
  git: string;
  branch?: string;
  paths: Record<string, string>;
}

/** A folder that stands for the whole repository. */
export const WHOLE_REPOSITORY = '.';

const upstreamPath = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  pattern: `${INSIDE}$`,
  description: 'a path inside the repository, without ".", ".." and backslashes',
};

const webAddress = {
  type: 'string',
  maxLength: 2000,
  pattern: '^https?://[^\\s/@#\\\\]+/[^\\s#\\\\]*$',
  description: 'an address such as https://example.org/dump.zip, without a user name and password',
};

const capturing = {
  type: 'string',
  maxLength: 1000,
  format: 'one-group',
  description:
    'a pattern (RE2) with one group in parentheses, such as "^Update (\\\\d+\\\\.\\\\d+)"; further groups are written (?:…)',
};

const ofSubject = {
  ...capturing,
  help: "A pattern over the commit's subject, the first line of its message. Its group is the text; other commits are ignored.",
};
const ofTag = {
  ...capturing,
  help: "A pattern over the names of the repository's tags. Its group is the text; other tags are ignored.",
};
const ofFolder = {
  ...capturing,
  help: "A pattern over the whole paths of the repository's folders. Its group is the text; other folders are ignored. Each folder is a build, and the paths of its files begin in it.",
};
const ofFile = {
  file: { ...upstreamPath, help: 'A JSON file in the repository, with `at`.' },
  at: {
    type: 'string',
    pattern: JSON_POINTER,
    description: 'a JSON Pointer',
    help: 'Where in the file the text is.',
  },
  pattern: {
    ...capturing,
    help: 'A pattern over the text in the file. Without it, all of the text is used.',
  },
};

/** Exactly one of several ways to read a text, each named by its first member. */
function reading(description: string, ways: readonly string[], properties: object) {
  return {
    type: 'object',
    description,
    additionalProperties: false,
    properties,
    dependencies: { file: ['at'], at: ['file'], pattern: ['file'] },
    oneOf: ways.map((way) => ({ required: [way] })),
  };
}

const branch = {
  type: 'string',
  maxLength: 200,
  pattern: '^[A-Za-z0-9_][A-Za-z0-9._/-]*$',
  description: 'the name of a branch',
  help: "The branch. Without it, the repository's default branch.",
};

const mappedPaths = {
  type: 'object',
  minProperties: 1,
  propertyNames: {
    pattern: `${INSIDE}$|^\\.$`,
    description: `${upstreamPath.description}; or "${WHOLE_REPOSITORY}" for all of it`,
  },
  additionalProperties: { ...upstreamPath, description: "a path inside the build's folder" },
};

const megabytes = {
  type: 'integer',
  minimum: 1,
  maximum: 2048,
  description: 'a number of MB, from 1 to 2048',
};

const columnName = { type: 'string', minLength: 1, maxLength: 200, description: 'the name of a column' };
const pointer = { type: 'string', maxLength: 1000, pattern: JSON_POINTER, description: 'a JSON Pointer' };
const targetPath = { ...upstreamPath, description: "a path inside the build's folder" };
const packageMembers = {
  versions: {
    type: 'object',
    minProperties: 1,
    maxProperties: 1000,
    additionalProperties: {
      type: 'object',
      required: ['build', 'released_at'],
      additionalProperties: false,
      description: '{"build": …, "released_at": …}',
      properties: {
        build: { type: 'string', minLength: 1, help: 'The name of the build.' },
        released_at: { ...instant, help: 'When it is released.' },
      },
    },
    help: 'Which build each version of the package is, and when it was released: packages are not published in the order of the builds.',
  },
  split: {
    type: 'object',
    required: ['file', 'build', 'date'],
    additionalProperties: false,
    properties: {
      file: { ...upstreamPath, help: 'A JSON file of the package.' },
      at: { ...pointer, help: 'Where its rows are; a step * stands for all members.' },
      build: { ...columnName, help: 'The column with the name of a group: that of a build.' },
      date: { ...columnName, help: 'The column with its date.' },
    },
    help: 'Splits the newest version into builds by a column of dates: each has the groups until then, of the files that "each" in "parts" makes.',
  },
  parts: {
    type: 'object',
    minProperties: 1,
    maxProperties: 100,
    propertyNames: upstreamPath,
    additionalProperties: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1000,
      propertyNames: targetPath,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          at: { ...pointer, help: 'Where in the large file it is; a step * stands for all members.' },
          each: {
            ...columnName,
            help: 'Makes a file of each group of rows with the same value there; $key of each row.',
          },
        },
      },
    },
    help: 'Files that parts of large JSON files become: {"large.json": {"raw/units.json": {"at": "/units"}}}.',
  },
};
const trim = {
  type: 'object',
  maxProperties: 1000,
  propertyNames: targetPath,
  additionalProperties: trimSchema,
  help: 'What gamedata add and pull leave out of JSON, YAML and CSV files, by a pattern of their paths in the folder of a build: columns and rows that no mapping reads.',
};

/** The kinds of upstream. */
const SOURCE_KINDS = ['git', 'files', 'archive', 'npm'];

/** JSON Schema of `source` in game.json. */
export const sourceSchema = {
  type: 'object',
  oneOf: SOURCE_KINDS.map((kind) => ({ required: [kind] })),
  if: { required: ['npm'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: { oneOf: [{ required: ['versions'] }, { required: ['split'] }] },
  else: { required: ['build'] },
  dependencies: {
    versions: ['npm'],
    split: ['npm'],
    parts: ['npm'],
    build: { not: { required: ['npm'] } },
    released_at: { not: { required: ['npm'] } },
    branch: ['git'],
    settle_minutes: ['git'],
    keep: ['git'],
    others: ['git'],
    paths: { not: { required: ['files'] } },
  },
  description:
    'an object with one of "git", "files" and "archive", and "build"; or with "npm", and "versions" or "split"',
  additionalProperties: false,
  properties: {
    git: {
      ...repositoryAddress,
      help: 'The repository. gamedata pull fetches https:// only; with --allow-local also http:// and file://.',
    },
    files: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1000,
      propertyNames: webAddress,
      additionalProperties: { ...upstreamPath, description: "a path inside the build's folder" },
      help: 'Addresses of files, and their paths in the folder of a build. Fetched as `git` is, and only if they have changed.',
    },
    archive: {
      ...webAddress,
      help: 'The address of a zip or tar archive, also tar.gz. Fetched as `git` is, and only if it has changed.',
    },
    npm: {
      type: 'string',
      maxLength: 214,
      pattern: '^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$',
      description: 'the name of a package, without a version',
      help: 'A package of the npm registry, which is the one that npm on this machine uses. No script of the package runs.',
    },
    ...packageMembers,
    branch,
    paths: {
      ...mappedPaths,
      help: 'Files and folders of the repository, and their paths in the folder of a build. Without it, both have the same paths.',
    },
    others: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      description: 'a list of {"git": …, "branch": …, "paths": …}',
      items: {
        type: 'object',
        required: ['git', 'paths'],
        additionalProperties: false,
        properties: {
          git: { ...repositoryAddress, help: 'The repository, fetched as that of the builds is.' },
          branch,
          paths: {
            ...mappedPaths,
            help: 'Files and folders of the repository, and their paths in the folder of a build.',
          },
        },
      },
      help: 'Further repositories, such as those of other regions. They name no builds: each build has their files as they were when its own commit was made.',
    },
    build: {
      if: { type: 'string' },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
      then: {
        enum: ['date'],
        description: '"date", or {"subject": …}, {"tag": …}, {"folder": …} or {"file": …, "at": …}',
      },
      else: reading(
        '{"subject": …}, {"tag": …}, {"folder": …} or {"file": …, "at": …}',
        ['subject', 'tag', 'folder', 'file'],
        { subject: ofSubject, tag: ofTag, folder: ofFolder, ...ofFile },
      ),
      help: 'The name of the build that a commit belongs to. "date" is the date of the commit in UTC, such as 2026-03-09.',
    },
    released_at: {
      ...reading('{"subject": …}, {"folder": …} or {"file": …, "at": …}', ['subject', 'folder', 'file'], {
        subject: ofSubject,
        folder: ofFolder,
        ...ofFile,
      }),
      help: "When the build is released: an ISO 8601 date or date-time, or the seconds since 1970. Without it, the date of the build's first commit.",
    },
    settle_minutes: {
      type: 'integer',
      minimum: 0,
      maximum: 43_200,
      description: 'a number of minutes, from 0 to 43200',
      help: 'How long after its first commit a build is complete: of its commits until then the last one counts (default: 60).',
    },
    licence: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'a text of at most 200 characters',
      help: 'The licence of the data as upstream states it, such as "MIT", or "none stated". gamedata review shows it to who approves the game.',
    },
    trim,
    hold_on: {
      type: 'array',
      uniqueItems: true,
      description: 'a list of names of checks',
      items: { enum: CHECK_NAMES, description: 'the name of a check' },
      help: `The checks whose findings are errors, which hold a build; what other checks of changes find is a warning. Without it: ${HOLD_ON.join(', ')}.`,
    },
    accept_after: {
      anyOf: [
        {
          type: 'object',
          required: ['builds', 'days'],
          additionalProperties: false,
          properties: {
            builds: {
              type: 'integer',
              minimum: 1,
              maximum: 100,
              help: 'How many later builds have to have the change.',
            },
            days: {
              type: 'integer',
              minimum: 0,
              maximum: 365,
              help: 'How many days after it the last of them has to be.',
            },
          },
        },
        { const: false },
      ],
      description: '{"builds": 2, "days": 7} with other numbers, or false',
      help: 'When gamedata pull --build accepts a change of values that upstream keeps: after so many later builds that are held back for the same alone, when it has been held back for so many days and the last of them is so many days later (default: 2 builds and 7 days). false: only a person accepts.',
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        read_mb: {
          ...megabytes,
          help: 'A file of upstream, or the files of an archive together (default: 512).',
        },
        file_mb: { ...megabytes, help: 'A file that is copied to the folder of a build (default: 50).' },
        build_mb: {
          ...megabytes,
          help: 'All files that are copied to the folder of a build (default: 200).',
        },
        fetch_seconds: {
          type: 'integer',
          minimum: 1,
          maximum: 86_400,
          description: 'a number of seconds, from 1 to 86400',
          help: 'How long a fetch of a repository, a file or a package may take (default: 900).',
        },
      },
      help: 'How much is read for a build, and copied to its folder. A build with more is held back.',
    },
    later_commits: {
      enum: ['hold', 'take'],
      description: '"hold" or "take"',
      help: 'What happens when upstream changes files of the newest build after it was taken: a person is told (hold, the default), or gamedata pull --build takes it as a correction, which the history shows.',
    },
    keep: {
      enum: ['copies', 'references'],
      description: '"copies" or "references"',
      help: 'Whether a pull copies the files of a build to its folder (default), or names their commit and SHA-256 in build.json, from where they are fetched when they are needed.',
    },
  },
};
