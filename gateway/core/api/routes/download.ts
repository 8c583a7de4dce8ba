import type { BuildEntry, StoredRef } from '../../../../scripts/core/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import type { FileResult } from '../../wire/send-file.ts';
import type { Services } from './route.ts';

/** Returns the download of a whole build as JSON, in every coding. */
export function downloadSnapshot(
  { slug }: Pick<GameBuild, 'slug'>,
  { build, snapshot }: BuildEntry,
  services: Services,
): FileResult {
  return downloadFile(build, `${slug}-${build}.json`, snapshot, services);
}

/** Returns the download of a file of a build, in every coding that dist/ has. @param filename the name under which clients save it */
export function downloadFile(
  build: string,
  filename: string,
  ref: StoredRef,
  { archive }: Services,
): FileResult {
  const files = 'gzip' in ref ? { identity: ref, gzip: ref.gzip, br: ref.brotli } : ref;
  return { build, filename, files, open: archive.open };
}
