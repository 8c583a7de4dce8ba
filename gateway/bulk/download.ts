import type { BuildEntry, StoredRef, ZipRef } from '../../scripts/format/dist-format.ts';
import { mediaTypeOf } from '../../scripts/publish/targets.ts';
import type { Services } from '../api/route.ts';
import { downloadFile } from '../api/snapshot.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { FileResult } from '../http/send-file.ts';
import { type Choice, refOf } from './choice.ts';
import { forSpreadsheets, type Spreadsheet } from './spreadsheet.ts';

/**
 * Returns what a request downloads: a file of a build, or its cells made safe for spreadsheets.
 *
 * @throws HttpProblem `not-found` if the build was not written in the format, or has no such collection; ParameterError
 */
export function downloadOf(
  game: GameBuild,
  entry: BuildEntry,
  choice: Choice,
  services: Services,
): FileResult | Spreadsheet {
  const file = fileOf(game, entry, choice, services);
  return choice.isForSpreadsheets ? forSpreadsheets(file, bytesOf(refOf(game.slug, entry, choice))) : file;
}

/** How large what a file holds is without compression. */
function bytesOf(ref: StoredRef | ZipRef): number {
  return 'collections' in ref ? ref.collections.reduce((sum, { bytes }) => sum + bytes, 0) : ref.bytes;
}

/** Returns the download of a file of a build, in every coding that dist/ has. @throws HttpProblem `not-found` */
export function fileOf(
  { slug }: GameBuild,
  entry: BuildEntry,
  choice: Choice,
  services: Services,
): FileResult {
  const { build } = entry;
  const ref = refOf(slug, entry, choice);
  const { format, collection } = choice;
  const name = [`${slug}-${build}`, ...(collection === undefined ? [] : [collection]), format].join('.');
  return {
    ...downloadFile(build, ref.file.endsWith('.zip') ? `${name}.zip` : name, ref, services),
    ...(format !== 'json' && { type: mediaTypeOf(ref.file) }),
  };
}
