import { downloadsOf, type FileRef, filesOf, type Manifest, type StoredRef } from '../format/dist-format.ts';

/** A file that a target has: its size in bytes, and when it was written, in ms since 1970. */
export interface PresentFile {
  bytes: number;
  at: number;
}

/** What is to be sent to a target, and removed there. */
export interface PublicationPlan<Ref extends FileRef> {
  send: Ref[];
  /** Paths of files. */
  remove: string[];
}

/** A game of dist/: its manifest, and the reference to the file of the manifest. */
export interface PublishedGame {
  ref: FileRef;
  manifest: Manifest;
}

/** How long a file stays that the index no longer names: readers of an older index, and other publications, may need it. */
const MIN_KEPT_MS = 86_400_000;

/** All files that the index leads to, each once. */
export function listAll(games: readonly PublishedGame[]): FileRef[] {
  return unique(games.flatMap(({ ref, manifest }) => [...manifest.builds.flatMap(filesOf), ref]));
}

/**
 * The snapshots of builds that are released, each once, and these builds in other formats. Of a file that dist/ has compressed, the plain one is
 * published: an address is signed for one file, and a CDN compresses files itself.
 *
 * @param now ms since 1970
 */
export function listSnapshots(games: readonly PublishedGame[], now: number): StoredRef[] {
  const builds = games.flatMap(({ manifest }) => manifest.builds);
  const released = builds.filter(({ released_at }) => Date.parse(released_at) <= now);
  return unique(released.flatMap(downloadsOf));
}

/**
 * Plans what to send to a target and what to remove there. A file's name carries the hash of its content. A file of that name can be
 * incomplete, which its size shows, or damaged, which only `--verify` finds.
 *
 * @param present the files that the target has, except those that are known to be damaged
 * @param now ms since 1970
 */
export function planPublication<Ref extends FileRef>(
  files: readonly Ref[],
  present: ReadonlyMap<string, PresentFile>,
  now: number,
): PublicationPlan<Ref> {
  const named = new Set(files.map(({ file }) => file));
  const isOld = ([file, { at }]: [string, PresentFile]) => !named.has(file) && at < now - MIN_KEPT_MS;
  return {
    send: files.filter(({ file, bytes }) => present.get(file)?.bytes !== bytes),
    remove: [...present].filter(isOld).map(([file]) => file),
  };
}

function unique<Ref extends FileRef>(files: Ref[]): Ref[] {
  return [...new Map(files.map((ref) => [ref.file, ref])).values()];
}
