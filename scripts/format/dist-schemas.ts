import {
  BUILD_NAME,
  DATASET_KEY,
  FILE_EXTENSION,
  LANGUAGE,
  READ_FORMATS,
  SLUG,
  TABLE_FORMATS,
} from './dist-format.ts';

const fileRef = {
  file: { type: 'string', pattern: String.raw`^[a-z0-9-]+/[a-z0-9_.]+\.${FILE_EXTENSION}$` },
  bytes: { type: 'integer', minimum: 1 },
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};
const wholeFileRef = { type: 'object', required: ['file', 'bytes', 'sha256'], properties: fileRef };
const compressedRef = {
  type: 'object',
  required: ['file', 'bytes', 'sha256', 'gzip', 'brotli'],
  properties: { ...fileRef, gzip: wholeFileRef, brotli: wholeFileRef },
};
const zipRef = {
  type: 'object',
  required: ['file', 'bytes', 'sha256', 'collections'],
  properties: {
    ...fileRef,
    collections: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'file', 'bytes', 'sha256'],
        properties: {
          ...compressedRef.properties,
          key: { type: 'string', pattern: DATASET_KEY },
        },
      },
    },
  },
};
const instant = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$' };
const count = { type: 'integer', minimum: 0 };
const listRef = {
  type: 'object',
  required: ['file', 'bytes', 'sha256', 'count'],
  properties: { ...fileRef, count },
};

/** JSON Schema of index.json. */
export const indexSchema = {
  type: 'object',
  required: ['format', 'games'],
  properties: {
    format: { enum: READ_FORMATS },
    games: {
      type: 'array',
      items: {
        type: 'object',
        required: ['slug', 'manifest'],
        properties: {
          slug: { type: 'string', pattern: SLUG },
          manifest: wholeFileRef,
        },
      },
    },
  },
} as const;

/** JSON Schema of a manifest. */
export const manifestSchema = {
  type: 'object',
  required: ['slug', 'title', 'builds'],
  properties: {
    slug: { type: 'string', pattern: SLUG },
    title: { type: 'string', minLength: 1 },
    language: { type: 'string', pattern: LANGUAGE },
    successor: { type: 'string', pattern: SLUG },
    other_regions: { type: 'array', items: { type: 'string', pattern: SLUG } },
    images: { type: 'object', required: ['hosts', 'credit', 'terms'] },
    withdrawn: {
      type: 'array',
      items: {
        type: 'object',
        required: ['build', 'released_at', 'at', 'reason'],
        properties: {
          build: { type: 'string', pattern: BUILD_NAME },
          released_at: instant,
          at: instant,
          reason: { type: 'string' },
        },
      },
    },
    builds: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: [
          'build',
          'released_at',
          'note',
          'amended',
          'roster',
          'characters',
          'datasets',
          'snapshot',
          'diff',
          'history',
          'timeline',
        ],
        properties: {
          build: { type: 'string', pattern: BUILD_NAME },
          released_at: instant,
          released_in: { type: 'object', additionalProperties: instant },
          note: { type: ['string', 'null'] },
          amended: {
            type: 'array',
            items: {
              type: 'object',
              required: ['at', 'reason'],
              properties: { at: instant, reason: { type: 'string' } },
            },
          },
          renamed: {
            type: 'object',
            additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
          },
          in_snapshot: { const: true },
          carried_from: { type: 'object', additionalProperties: { type: 'string', pattern: BUILD_NAME } },
          attributes: wholeFileRef,
          aliases: wholeFileRef,
          amendments: { type: 'array', items: { anyOf: [{ type: 'null' }, wholeFileRef] } },
          snapshot: compressedRef,
          bulk: {
            type: 'object',
            properties: {
              ...Object.fromEntries(TABLE_FORMATS.map((format) => [format, zipRef])),
              sqlite: compressedRef,
            },
          },
          diff: { anyOf: [{ type: 'null' }, wholeFileRef] },
          history: wholeFileRef,
          history_pages: { type: 'array', items: wholeFileRef },
          timeline: listRef,
          roster: { ...listRef, properties: { ...listRef.properties, gzip: wholeFileRef } },
          characters: listRef,
          datasets: {
            type: 'array',
            items: {
              type: 'object',
              required: ['key', 'kind', 'file', 'bytes', 'sha256', 'count'],
              properties: {
                ...fileRef,
                count,
                key: { type: 'string', pattern: DATASET_KEY },
                kind: { enum: ['list', 'object'] },
              },
            },
          },
        },
      },
    },
  },
} as const;
