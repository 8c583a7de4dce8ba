import { type FileRef, filesOf, type Manifest } from '../format/dist-format.ts';

/** What a target has of a file: its size in bytes, and when it was written, in ms since 1970. */
export interface PresentFile {
  bytes: number;
  at: number;
}

/** What has to be done at a target. */
export interface PublicationPlan {
  send: FileRef[];
  /** Paths of files. */
  remove: string[];
}

/** A game of dist/: its manifest and the file that this was read from. */
export interface PublishedGame {
  ref: FileRef;
  manifest: Manifest;
}

/** How long a file stays that is named no more: who has just read the index before, or is publishing beside, needs it. */
const KEPT_MS = 86_400_000;

/** All files that the index leads to, each once. */
export function listAll(games: readonly PublishedGame[]): FileRef[] {
  return unique(games.flatMap(({ ref, manifest }) => [...manifest.builds.flatMap(filesOf), ref]));
}

/**
 * The snapshots of builds that are released, each once; plain, as the addresses that lead to them are signed for one file, and a CDN
 * compresses by itself.
 *
 * @param now ms since 1970
 */
export function listSnapshots(games: readonly PublishedGame[], now: number): FileRef[] {
  const builds = games.flatMap(({ manifest }) => manifest.builds);
  const released = builds.filter(({ released_at }) => Date.parse(released_at) <= now);
  return unique(released.map(({ snapshot: { file, bytes, sha256 } }) => ({ file, bytes, sha256 })));
}

/**
 * Plans how a target comes to have some files: what is missing is sent, and what is not among them may go. A file's name carries the hash
 * of its content, so that one that is there can only have been cut short, which its size tells, or damaged since.
 *
 * @param present without what is known to be damaged
 * @param now ms since 1970
 */
export function planPublication(
  files: readonly FileRef[],
  present: ReadonlyMap<string, PresentFile>,
  now: number,
): PublicationPlan {
  const named = new Set(files.map(({ file }) => file));
  const isOld = ([file, { at }]: [string, PresentFile]) => !named.has(file) && at < now - KEPT_MS;
  return {
    send: files.filter(({ file, bytes }) => present.get(file)?.bytes !== bytes),
    remove: [...present].filter(isOld).map(([file]) => file),
  };
}

function unique(files: FileRef[]): FileRef[] {
  return [...new Map(files.map((ref) => [ref.file, ref])).values()];
}
