import {
  type BuildEntry,
  BULK_FORMATS,
  type BulkFormat,
  type FileRef,
} from '../../../scripts/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { HttpProblem } from '../../http/problem.ts';
import { ParameterError } from '../../lib/parameter-error.ts';
import type { RawQuery } from '../../lib/raw-query.ts';
import { quote, suggest } from '../../lib/suggest.ts';
import type { FileResult } from '../../wire/send-file.ts';
import type { QueryParameter, Services } from './route.ts';

/** The formats of a download: JSON, or a zip with a file for each collection. */
export const DOWNLOAD_FORMATS = ['json', ...BULK_FORMATS] as const;
/** One of `DOWNLOAD_FORMATS`. */
export type DownloadFormat = 'json' | BulkFormat;

export const ZIP_TYPE = 'application/zip';

/** The parameter that chooses the format of a download. */
export const FORMAT: QueryParameter = {
  name: 'format',
  description:
    '`json`: one JSON document. `ndjson`, `csv` and `parquet`: a zip with a file for each collection, if the operator of the gateway offers them.',
  schema: { enum: DOWNLOAD_FORMATS, default: 'json' },
};

/** @throws ParameterError */
export function readFormat(query: RawQuery): DownloadFormat {
  const given = query.filter(([name]) => name === FORMAT.name).map(([, value]) => value);
  const [text = 'json'] = given;
  const format = DOWNLOAD_FORMATS.find((each) => each === text);
  if (format && given.length < 2) return format;
  const found = given.length < 2 ? `is ${quote(text)}${suggest(text, DOWNLOAD_FORMATS)}` : 'was given twice';
  throw new ParameterError(FORMAT.name, `format ${found}; expected one of ${DOWNLOAD_FORMATS.join(', ')}`);
}

/** Returns the file of a build in a format; undefined if it was not written. */
export function findDownload(
  { snapshot, bulk = {} }: BuildEntry,
  format: DownloadFormat,
): FileRef | undefined {
  return format === 'json' ? snapshot : bulk[format];
}

/**
 * Returns the download of a build, JSON in every coding.
 *
 * @throws HttpProblem `not-found` if the build was not written in the format
 */
export function downloadOf(
  { slug }: GameBuild,
  entry: BuildEntry,
  format: DownloadFormat,
  { archive }: Services,
): FileResult {
  const { build, snapshot } = entry;
  const { open } = archive;
  if (format === 'json') {
    const files = { identity: snapshot, gzip: snapshot.gzip, br: snapshot.brotli };
    return { build, filename: `${slug}-${build}.json`, files, open };
  }
  const { file, bytes, sha256 } = refOf(slug, entry, format);
  return {
    build,
    filename: `${slug}-${build}.${format}.zip`,
    files: { file, bytes, sha256 },
    type: ZIP_TYPE,
    open,
  };
}

/** @throws HttpProblem `not-found` if the build was not written in the format */
export function refOf(slug: string, entry: BuildEntry, format: DownloadFormat): FileRef {
  const ref = findDownload(entry, format);
  if (ref) return ref;
  const formats = DOWNLOAD_FORMATS.filter((each) => findDownload(entry, each)).join(', ');
  throw new HttpProblem(
    'not-found',
    `build ${entry.build} of ${slug} is not here as ${format}, only as ${formats}; the operator of this gateway chooses the formats`,
  );
}
