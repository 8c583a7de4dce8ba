import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readUnrecorded } from '../dist/lock.ts';
import { readIndex, readManifest, readWhole } from '../dist/read-dist.ts';
import { encodeIndex } from '../dist/write-dist.ts';
import {
  downloadsOf,
  type FileRef,
  filesOf,
  INDEX_FILE,
  type Index,
  type Manifest,
} from '../format/dist-format.ts';
import { CommandError, inParallel, type Progress } from '../system.ts';
import { countOf, megabytes } from '../text.ts';
import { openTarget, type PresentFile, type Target } from './targets.ts';

export interface PublishOptions {
  /** The folder that `gamedata build` wrote. */
  dist: string;
  /** Whether only snapshots of released builds are published, without an index. */
  snapshots?: boolean;
  /** Whether files that the index no longer references are removed. */
  prune?: boolean;
  /** Whether the SHA-256 of the target's files is compared, not only their sizes. */
  verify?: boolean;
  /** Whether nothing is sent or removed. */
  dryRun?: boolean;
  /** Whether to publish even if released builds disappear. */
  allowOlder?: boolean;
  /** Whether a game that cannot be published keeps its published state while the others are published. */
  isPartial?: boolean;
  /** ms since 1970. */
  now: number;
}

/** The result of a publication, or of its dry run. */
export interface Publication {
  /** All published files, including those that the target already had. */
  files: FileRef[];
  sent: FileRef[];
  /** Paths of files. */
  removed: string[];
  /** Whether the target's index changed. */
  isNewIndex: boolean;
  /** How many of the published builds are not released yet. */
  unreleased: number;
  /** The games that keep their published state, with the reason. */
  leftOut: string[];
}

/** A file to publish. If dist/ has only its compressed forms, as for a snapshot, it is published plain. */
type PublishedRef = FileRef & { gzip?: FileRef };

/** A game of dist/: its manifest, and the reference to the manifest's file. */
interface GameToPublish {
  ref: FileRef;
  manifest: Manifest;
}

/** How many builds a message names. */
const MAX_NAMED = 3;
/** How many files are sent, read or removed at once. */
const MAX_PARALLEL_FILES = 8;
/** How long a file is kept that the index no longer references: readers of an older index, and other publications, may need it. */
const MIN_KEPT_MS = 86_400_000;

/** Publishes a dist/ completely. @returns the result, in one line */
export async function publishDist(
  { target, endpoint, dist }: { dist: string; target: string; endpoint: string | undefined },
  progress: Progress,
): Promise<string> {
  const options = { dist, now: Date.now(), isPartial: true };
  const done = await publish(await openTarget(target, endpoint), options, progress).finally(progress.clear);
  return [summarise(done), ...done.leftOut].join('; ');
}

export function summarise({ files, sent, removed, isNewIndex }: Publication, dryRun = false): string {
  const parts = [
    `${countOf(files.length, 'file')}, ${megabytes(sizeOf(files))}`,
    `${sent.length} ${dryRun ? 'to send' : 'sent'}, ${megabytes(sizeOf(sent))}`,
    `${removed.length} ${dryRun ? 'to remove' : 'removed'}`,
  ];
  if (isNewIndex) parts.push(dryRun ? 'the index to replace' : 'the index replaced');
  return parts.join('; ');
}

/**
 * Copies dist/ to a target: first every missing file, each compared with its SHA-256, then the index that references them. If this fails, readers of
 * the target still see the old state, and the next run continues from there.
 *
 * @throws CommandError
 */
export async function publish(
  target: Target,
  options: PublishOptions,
  progress: Progress,
): Promise<Publication> {
  const { dist, snapshots = false, prune = false, verify = false, dryRun = false, now } = options;
  const whole = await readIndex(dist);
  if (whole === undefined) throw new CommandError(`no ${dist}/${INDEX_FILE}: run gamedata build`);
  const there = snapshots ? [] : ((await readJson<Index>(target, INDEX_FILE))?.games ?? []);
  const all = await readGames(dist, whole);
  const lost = await findLost(target, there, all, now);
  const unrecorded = (await readUnrecorded(dist)).filter((slug) =>
    whole.games.some((game) => game.slug === slug),
  );
  const leftOut = new Map<string, string>();
  if (options.isPartial) {
    for (const { slug, builds } of lost)
      if (!whole.games.some((game) => game.slug === slug)) leftOut.set(slug, 'dist/ does not have it');
      else if (builds.length > 0) leftOut.set(slug, `${builds.join(', ')} would vanish`);
    for (const slug of unrecorded) leftOut.set(slug, 'its builds are a draft, or not recorded');
  } else {
    if (unrecorded.length > 0) throw unrecordedError(dist, unrecorded);
    if (!options.allowOlder) refuseOlder(target, lost);
  }
  const missing = there.filter(({ slug }) => !whole.games.some((game) => game.slug === slug));
  const index = {
    ...whole,
    games: [...whole.games, ...(options.isPartial ? missing : [])].flatMap((game) =>
      leftOut.has(game.slug) ? (there.find(({ slug }) => slug === game.slug) ?? []) : [game],
    ),
  };
  const games = all.filter(({ manifest }) => !leftOut.has(manifest.slug));
  const files = snapshots ? listSnapshots(games, now) : listAll(games);
  progress.step(`listing the files of ${target.name}`);
  const present = await target.list();
  if (verify) {
    const there = files.filter(({ file }) => present.has(file));
    for (const file of await findDamaged(target, there, progress)) present.delete(file);
  }
  const named = new Set(files.map(({ file }) => file));
  const isOld = ([file, { at }]: [string, PresentFile]) => !named.has(file) && at < now - MIN_KEPT_MS;
  const sent = files.filter(({ file, bytes }) => present.get(file)?.bytes !== bytes);
  const removed = prune ? [...present].filter(isOld).map(([file]) => file) : [];
  const bytes = encodeIndex(index);
  const isNewIndex = !snapshots && !(await target.read(INDEX_FILE))?.equals(bytes);
  if (!dryRun) {
    await eachFile(sent, progress, async (ref) => {
      const content = await readContent(dist, ref);
      if (content === undefined) throw damaged(dist, ref);
      await target.write(ref.file, content);
    });
    if (isNewIndex) await target.write(INDEX_FILE, bytes);
    await inParallel(removed, MAX_PARALLEL_FILES, (file) => target.remove(file));
  }
  const builds = snapshots ? [] : games.flatMap(({ manifest }) => manifest.builds);
  const unreleased = builds.filter(({ released_at }) => Date.parse(released_at) > now).length;
  return {
    files,
    sent,
    removed,
    isNewIndex,
    unreleased,
    leftOut: [...leftOut].map(([slug, why]) => `${slug} stays as it is: ${why}`),
  };
}

/** All files that the index references, each once. */
function listAll(games: readonly GameToPublish[]): FileRef[] {
  return unique(games.flatMap(({ ref, manifest }) => [...manifest.builds.flatMap(filesOf), ref]));
}

/**
 * The snapshots of released builds, each once, and these builds in other formats. A file that dist/ has compressed is published plain: an address is
 * signed for one file, and a CDN compresses files itself.
 */
function listSnapshots(games: readonly GameToPublish[], now: number): PublishedRef[] {
  const builds = games.flatMap(({ manifest }) => manifest.builds);
  return unique(
    builds.filter(({ released_at }) => Date.parse(released_at) <= now).flatMap<PublishedRef>(downloadsOf),
  );
}

function unique<Ref extends FileRef>(files: Ref[]): Ref[] {
  return [...new Map(files.map((ref) => [ref.file, ref])).values()];
}

function unrecordedError(dist: string, unrecorded: readonly string[]): CommandError {
  return new CommandError(
    `builds of ${unrecorded.join(', ')} in ${dist}/ are not recorded, so they may still change: remove "draft" from game.json if it has it, and run gamedata build without --watch`,
  );
}

/** The released builds of a game that the target has and this dist/ lacks, without withdrawn ones. */
interface Lost {
  slug: string;
  builds: string[];
}

async function findLost(
  target: Target,
  there: Index['games'],
  games: readonly GameToPublish[],
  now: number,
): Promise<Lost[]> {
  const all: Lost[] = [];
  for (const { slug, manifest: ref } of there) {
    const game = games.find(({ manifest }) => manifest.slug === slug);
    if (game?.ref.file === ref.file) continue;
    const kept = new Set(game?.manifest.builds.map(({ build }) => build));
    const withdrawn = game?.manifest.withdrawn?.map(({ build }) => build) ?? [];
    const published = (await readJson<Manifest>(target, ref.file))?.builds ?? [];
    const lost = published.filter(
      ({ build, released_at }) =>
        !kept.has(build) && Date.parse(released_at) <= now && !withdrawn.includes(build),
    );
    all.push({ slug, builds: lost.map(({ build }) => build) });
  }
  return all;
}

/** Refuses to remove released builds from the target. */
function refuseOlder(target: Target, lost: readonly Lost[]): void {
  const missing = lost.flatMap(({ slug, builds }) => builds.map((build) => `${slug} ${build}`));
  if (missing.length === 0) return;
  const few = [...missing.slice(0, MAX_NAMED), ...(missing.length > MAX_NAMED ? ['…'] : [])];
  throw new CommandError(
    `${countOf(missing.length, 'released build')} of ${target.name} would vanish (${few.join(', ')}): this dist/ is older; build it from the newest data, or pass --allow-older`,
  );
}

/** @returns undefined if the file does not exist or is not JSON */
async function readJson<T>(target: Target, file: string): Promise<T | undefined> {
  const bytes = await target.read(file);
  try {
    return bytes && JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

async function readGames(dist: string, index: Index): Promise<GameToPublish[]> {
  const games: GameToPublish[] = [];
  for (const { manifest: ref } of index.games) {
    const manifest = await readManifest(dist, ref);
    if (manifest === undefined) throw damaged(dist, ref);
    games.push({ ref, manifest });
  }
  return games;
}

/** @returns the paths of files that are missing at a target or have the wrong content */
async function findDamaged(target: Target, files: readonly FileRef[], progress: Progress): Promise<string[]> {
  const faults: string[] = [];
  await eachFile(files, progress, async ({ file, sha256 }) => {
    const content = await target.read(file);
    if (!content || hash('sha256', content) !== sha256) faults.push(file);
  });
  return faults;
}

/** @returns undefined if dist/ lacks the bytes */
async function readContent(dist: string, ref: PublishedRef): Promise<Buffer | undefined> {
  if (!ref.gzip) return await readWhole(dist, ref);
  const compressed = await readWhole(dist, ref.gzip);
  const plain = compressed && (await promisify(gunzip)(compressed));
  return plain && hash('sha256', plain) === ref.sha256 ? plain : undefined;
}

/** Works on several files at once, and shows the progress. */
async function eachFile<Ref extends FileRef>(
  files: readonly Ref[],
  progress: Progress,
  work: (ref: Ref) => Promise<void>,
): Promise<void> {
  const total = sizeOf(files);
  let [count, bytes] = [0, 0];
  await inParallel(files, MAX_PARALLEL_FILES, async (ref) => {
    await work(ref);
    count += 1;
    bytes += ref.bytes;
    progress.step(`${count} of ${countOf(files.length, 'file')}, ${megabytes(bytes)} of ${megabytes(total)}`);
  });
}

function sizeOf(files: readonly FileRef[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function damaged(dist: string, { file }: FileRef): CommandError {
  return new CommandError(
    `${dist}/${file} is missing or damaged: run gamedata verify, then gamedata build; the index of the target has not changed`,
  );
}
