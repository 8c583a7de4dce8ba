import { MAX_MEMBERS } from '../../scripts/diff/history.ts';
import { BUILD_NAME, SLUG } from '../../scripts/format/dist-format.ts';

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };
const slug = { type: 'string', pattern: SLUG };
const build = { type: 'string', pattern: BUILD_NAME };
const record = { type: 'object' };
const gained = {
  type: 'array',
  items: text,
  description:
    'Only when there are any: those of `added` that the build is only the first to serve, although nothing says that they are new in the game. The others are.',
};
const onlyIn = {
  enum: ['added', 'removed'],
  description: 'Only when the dataset itself was added or removed.',
};
const fields = {
  type: 'array',
  items: text,
  description:
    'The dotted keys of the attributes that differ; for a difference inside a list, the key of the list.',
};
const attributes = {
  ...object(
    {
      gained: list(text),
      lost: list(text),
      elements: {
        ...list(object({ key: text, values: list({}) }, ['values'])),
        description:
          'Only when there are any: lists that gained elements of a kind that no record had before, such as a trait that many records get at once. `values` are ' +
          'these elements; without it, the list had no objects before. In the history no record counts as changed for them.',
      },
    },
    ['elements'],
  ),
  description:
    'Only when there are any: the dotted keys of attributes that no record of the build before had, and of those that none has any more. They are ' +
    'changes of the data, not of the game: `changed` and `changes` are without them. An object that is gained or lost is listed, and not what is in it.',
};
const names = {
  type: 'object',
  additionalProperties: text,
  description: 'The names of these records by id; only when they have names.',
};
const renamed = {
  type: 'object',
  additionalProperties: text,
  description:
    'Only when there are any: the new ids of records that were renumbered, by their old ids. Apart from the id they are compared as one record.',
};
const changes = {
  type: 'array',
  items: { $ref: '#/components/schemas/Change' },
};

const counts = {
  type: 'object',
  additionalProperties: whole,
  description:
    'Only in the history, and only if lists of a build are divided into pages: the whole lengths of these lists, by name.',
};

function object(properties: Record<string, unknown>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

function list(items: unknown) {
  return { type: 'array', items };
}

function byKey(values: unknown) {
  return {
    type: 'object',
    additionalProperties: values,
    description: 'By dataset key; only datasets that differ.',
  };
}

const named = list(object({ id: text, name: text }));
const ids = list(text);
/** What differs between two builds, value by value. */
const differences = {
  characters: object(
    {
      added: named,
      removed: named,
      changed: list(object({ id: text, name: text, fields, changes })),
      renamed,
      attributes,
      counts,
    },
    ['renamed', 'attributes', 'counts'],
  ),
  datasets: byKey({
    oneOf: [
      object(
        {
          kind: onlyIn,
          added: ids,
          gained,
          removed: ids,
          changed: list(object({ id: text, name: text, fields, changes }, ['name'])),
          names,
          renamed,
          attributes,
          counts,
        },
        ['kind', 'gained', 'names', 'renamed', 'attributes', 'counts'],
      ),
      object({ kind: onlyIn, fields, changes, attributes, counts }, ['kind', 'attributes', 'counts']),
    ],
  }),
};
const releasedIn = {
  type: 'object',
  additionalProperties: instant,
  description:
    'Only where it differs: when the build is released in each of these regions. Builds are ordered, and hidden until their release, by `released_at` alone.',
};
const carriedFrom = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description:
    'Only if there are any: datasets that stayed as they were in an earlier build, with its name, because those of upstream could not be trusted yet.',
};
const modelChange = object(
  { collection: text, attribute: text, kind: { enum: ['changed', 'added', 'removed'] }, records: whole },
  ['attribute'],
);
const withdrawal = object({ build, released_at: instant, at: instant, reason: text });

/** The JSON Schemas of histories, timelines, diffs and snapshots. */
export const HISTORY_SCHEMAS = {
  History: object(
    {
      game: slug,
      total: { ...whole, description: 'How many builds exist.' },
      count: { ...whole, description: 'How many of them are on this page.' },
      builds: list(
        object(
          {
            build,
            released_at: instant,
            released_in: releasedIn,
            previous: {
              ...build,
              type: ['string', 'null'],
              description: 'The build before; null for the first one.',
            },
            carried_from: carriedFrom,
            note: { type: ['string', 'null'] },
            amended: list(
              object(
                {
                  at: instant,
                  reason: text,
                  changes: {
                    ...object(differences),
                    description:
                      'What the correction changed: `from` was served before, `to` is served since. Absent where that is not known. Without what is in `model`, unless `amended=values` asks for every value.',
                  },
                  model: {
                    ...list(modelChange),
                    description:
                      'Only if there are any: changes of the model of the data, which are no corrections. What an attribute of at least a third of the records, and ten, is now; with it all attributes of its object; and datasets that were added or removed.',
                  },
                },
                ['changes', 'model'],
              ),
            ),
            snapshot: object({
              bytes: { ...whole, description: 'The size of the snapshot as plain JSON.' },
              sha256: {
                type: 'string',
                pattern: '^[0-9a-f]{64}$',
                description: 'Of the snapshot as plain JSON, in hex.',
              },
            }),
            pages: {
              ...whole,
              description: `Only if a list has more than ${MAX_MEMBERS} members: into how many pages the lists are divided. \`page\` names one.`,
            },
            next: {
              type: 'string',
              format: 'uri-reference',
              description:
                'Only if there are further pages: the address of the next one. Where there are no more members, its lists are empty, and datasets are left out; what is no list is on each page.',
            },
            characters: object(
              {
                added: named,
                removed: named,
                changed: list(object({ id: text, name: text, fields })),
                renamed,
                attributes,
                counts,
              },
              ['renamed', 'attributes', 'counts'],
            ),
            datasets: byKey({
              oneOf: [
                object(
                  {
                    kind: onlyIn,
                    added: ids,
                    gained,
                    removed: ids,
                    changed: ids,
                    names,
                    renamed,
                    attributes,
                    counts,
                  },
                  ['kind', 'gained', 'names', 'renamed', 'attributes', 'counts'],
                ),
                object({ kind: onlyIn, fields, attributes, counts }, ['kind', 'attributes', 'counts']),
              ],
            }),
          },
          ['released_in', 'carried_from', 'pages', 'next'],
        ),
      ),
      withdrawn: {
        ...list(withdrawal),
        description:
          'Only when there are any: released builds that were removed, with the time and the reason.',
      },
    },
    ['withdrawn'],
  ),
  Timeline: object({
    game: slug,
    id: text,
    name: { ...text, description: 'The newest name.' },
    timeline: list(
      object(
        {
          build,
          released_at: instant,
          kind: {
            enum: ['added', 'changed', 'removed', 'amended'],
            description: '`amended` is a correction of the build after its release.',
          },
          changes: { ...changes, description: 'Empty for the kinds `added` and `removed`.' },
          at: {
            ...instant,
            description: 'Only for the kind `amended`: when the build was corrected, ISO 8601 in UTC.',
          },
          reason: { ...text, description: 'Only for the kind `amended`: why.' },
          record: {
            $ref: '#/components/schemas/Character',
            description: 'Only for the kind `added`: the full record at that time.',
          },
        },
        ['record', 'at', 'reason'],
      ),
    ),
  }),
  Series: object({
    game: slug,
    id: text,
    fields: list(text),
    series: list(
      object({
        build,
        released_at: instant,
        values: {
          ...list({}),
          description: 'The value of each of `fields`, in their order; null where there is none.',
        },
      }),
    ),
  }),
  Change: {
    ...object(
      {
        path: {
          ...text,
          description:
            'A JSON Pointer (RFC 6901) to `to` in the newer record; without `to`, to `from` in the older record.',
        },
        from_path: {
          ...text,
          description: 'A JSON Pointer to `from` in the older record, when that is not `path`.',
        },
        from: { description: 'The value before; absent where there was nothing.' },
        to: { description: 'The value after; absent where nothing is left.' },
      },
      ['from_path', 'from', 'to'],
    ),
    description: 'One difference. Elements of lists are matched by id, or by position when they have no ids.',
  },
  Snapshot: object(
    {
      game: slug,
      title: text,
      build,
      released_at: instant,
      carried_from: carriedFrom,
      characters: list({ $ref: '#/components/schemas/Character' }),
      datasets: {
        type: 'object',
        additionalProperties: { oneOf: [record, list(record)] },
        description: 'By key. Lists of records with ids are in natural order of their ids.',
      },
    },
    ['carried_from'],
  ),
  Database: { type: 'string', format: 'binary', description: 'An SQLite database.' },
  Parquet: { type: 'string', format: 'binary', description: 'A collection as Parquet.' },
  Zip: { type: 'string', format: 'binary', description: 'A zip with a file for each collection.' },
  SnapshotLink: {
    ...object({
      url: {
        type: 'string',
        format: 'uri-reference',
        description:
          'The signed address. One that begins with `/` is relative to the address of the request.',
      },
      expires_at: instant,
      bytes: { ...whole, description: 'Of the plain JSON.' },
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the plain JSON.' },
    }),
    description: 'An address to download a snapshot from without a key.',
  },
  SnapshotOrLink: {
    oneOf: [{ $ref: '#/components/schemas/Snapshot' }, { $ref: '#/components/schemas/SnapshotLink' }],
    description: 'The link for `via=link`.',
  },
  Diff: object({
    game: slug,
    from: build,
    to: build,
    ...differences,
  }),
  Patch: {
    ...list(
      object(
        { op: { enum: ['add', 'remove', 'replace'] }, path: text, value: { description: 'Any JSON value.' } },
        ['value'],
      ),
    ),
    description: 'A JSON Patch (RFC 6902).',
  },
} as const;
