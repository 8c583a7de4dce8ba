import {
  BULK_FORMATS,
  BULK_TRAITS,
  type BuildEntry,
  type BulkFormat,
  type StoredRef,
  TABLE_FORMATS,
  type ZipRef,
} from '../../scripts/format/dist-format.ts';
import { type QueryParameter, type Route, valuesOf } from '../api/route.ts';
import { HttpProblem } from '../http/problem.ts';
import { ParameterError, type RawQuery, readOnce } from '../http/raw-query.ts';
import { quote, suggest } from '../http/suggest.ts';

/** The formats of a download: JSON, and what `gamedata build --formats` writes. */
const DOWNLOAD_FORMATS = ['json', ...BULK_FORMATS] as const;
type DownloadFormat = 'json' | BulkFormat;

const inCode = TABLE_FORMATS.map((format) => `\`${format}\``);
const listed = (words: readonly string[], last: string) =>
  `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** What a request downloads: a build in a format, or one collection of it. */
export interface Choice {
  format: DownloadFormat;
  /** `characters`, or the key of a dataset. */
  collection: string | undefined;
  /** Whether its cells are made safe for spreadsheets. */
  isForSpreadsheets?: boolean;
}

/** The parameters that choose what is downloaded. */
export const CHOICE: readonly QueryParameter[] = [
  {
    name: 'format',
    description:
      `\`json\`: one JSON document. ${listed(inCode, 'and')}: a zip with a file for each collection. \`sqlite\`: a database. All but \`json\` only if the operator of the gateway offers ` +
      'them; else the response is a 404 that lists those that exist.',
    schema: { enum: DOWNLOAD_FORMATS, default: 'json' },
  },
  {
    name: 'collection',
    description: `With ${listed(inCode, 'or')}: only the file of this collection, without a zip: \`characters\`, or the key of a dataset.`,
    schema: { type: 'string', maxLength: 64 },
  },
  {
    name: 'csv',
    description:
      "`spreadsheet`, with `format=csv`: each table begins with a byte order mark, and a text that a spreadsheet would run as a formula with `'`. Without it, texts are raw.",
    schema: { type: 'string', enum: ['spreadsheet'] },
  },
];

/** The schemas of the formats in the OpenAPI document. */
const SCHEMAS: Readonly<Record<BulkFormat, string>> = {
  sqlite: 'Database',
  parquet: 'Parquet',
  ndjson: 'Ndjson',
  csv: 'Csv',
};

/** The media types of downloads that are not JSON, and their schemas. */
export const DOWNLOAD_TYPES: NonNullable<Route['alternatives']> = {
  'application/zip': 'Zip',
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([format, schema]) => [
      BULK_TRAITS[format as BulkFormat].mediaType.split(';', 1)[0],
      schema,
    ]),
  ),
};

/** @throws ParameterError */
export function readChoice(query: RawQuery): Choice {
  const text = readOnce('format', valuesOf(query, 'format')) ?? 'json';
  const format = DOWNLOAD_FORMATS.find((each) => each === text);
  if (format === undefined) {
    const found = `is ${quote(text)}${suggest(text, DOWNLOAD_FORMATS)}`;
    throw new ParameterError('format', `format ${found}; expected one of ${DOWNLOAD_FORMATS.join(', ')}`);
  }
  const collection = readOnce('collection', valuesOf(query, 'collection'));
  if (collection !== undefined && (format === 'json' || format === 'sqlite'))
    throw new ParameterError(
      'collection',
      `collection was given with the format ${format}, expected ${listed(TABLE_FORMATS, 'or')}`,
    );
  return { format, collection, isForSpreadsheets: readIsForSpreadsheets(query, format) };
}

function readIsForSpreadsheets(query: RawQuery, format: DownloadFormat): boolean {
  const csv = readOnce('csv', valuesOf(query, 'csv'));
  if (csv === undefined) return false;
  if (csv !== 'spreadsheet') throw new ParameterError('csv', `csv is ${quote(csv)}, expected spreadsheet`);
  if (format !== 'csv') throw new ParameterError('csv', 'csv=spreadsheet needs format=csv');
  if (query.some(([name]) => name === 'via'))
    throw new ParameterError('csv', 'csv=spreadsheet was given with via, expected one of them');
  return true;
}

/** @throws HttpProblem `not-found` if the build was not written in the format, or has no such collection */
export function refOf(slug: string, entry: BuildEntry, { format, collection }: Choice): StoredRef | ZipRef {
  const { build, bulk = {} } = entry;
  if (format === 'json') return entry.snapshot;
  const ref: StoredRef | ZipRef | undefined = bulk[format];
  if (ref === undefined) {
    const formats = DOWNLOAD_FORMATS.filter((each) => each === 'json' || bulk[each]).join(', ');
    throw new HttpProblem(
      'not-found',
      `build ${build} of ${slug} is not here as ${format}, only as ${formats}; the operator of this gateway chooses the formats`,
    );
  }
  if (collection === undefined) return ref;
  const collections = 'collections' in ref ? ref.collections : [];
  const bulkFile = collections.find(({ key }) => key === collection);
  if (bulkFile) return bulkFile;
  const keys = collections.map(({ key }) => key);
  throw new HttpProblem(
    'not-found',
    `build ${build} of ${slug} has no collection ${quote(collection)} with records${suggest(collection, keys)}; expected one of ${keys.join(', ')}`,
  );
}

/** Returns what is downloaded with a file of a build; undefined if the build does not name the file. */
export function findChoice({ snapshot, bulk = {} }: BuildEntry, file: string): Choice | undefined {
  if (snapshot.file === file) return { format: 'json', collection: undefined };
  for (const format of BULK_FORMATS) {
    const ref: StoredRef | ZipRef | undefined = bulk[format];
    if (ref?.file === file) return { format, collection: undefined };
    const collections = ref && 'collections' in ref ? ref.collections : [];
    const choice = collections.find((each) => each.file === file);
    if (choice) return { format, collection: choice.key };
  }
  return undefined;
}
