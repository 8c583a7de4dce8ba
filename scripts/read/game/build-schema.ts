import { INSIDE, relativePath, tableNames } from './table-definition.ts';

/** Schema of the address of a repository. Names and passwords in it would be public. */
export const repositoryAddress = {
  type: 'string',
  maxLength: 2000,
  pattern: '^(https?://[^\\s/@?#\\\\]+|file://)/[^\\s?#\\\\]*$',
  description:
    'the address of a git repository, such as https://github.com/owner/name.git, without a user name and password',
};

/** Schema of the name of a commit. */
const commitName = {
  type: 'string',
  pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$',
  description: 'the whole name of a commit: 40 or 64 hexadecimal digits in lower case',
};

// `help` is the text that editors show for a property; `description` is the "expected" of a finding.

/** Schema of a date or a date-time. */
export const instant = {
  type: 'string',
  format: 'instant',
  description: 'an ISO 8601 date (midnight UTC) or date-time with a time zone, such as 2026-02-25T11:00:00Z',
};

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
