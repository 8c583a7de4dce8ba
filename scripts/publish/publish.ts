import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readUnrecorded } from '../dist/lock.ts';
import { needIndex, readManifest, readWhole } from '../dist/read-dist.ts';
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
import { openTarget, type Target } from './targets.ts';

export interface PublishOptions {
  /** The folder that `gamedata build` wrote. */
  dist: string;
  /** Whether only snapshots of released builds are published, without an index. */
  snapshots?: boolean;
  /** Whether files that the index no longer references are removed. */
  prune?: boolean;
  /** Whether the SHA-256 of the target's files is compared, not only their sizes. */
  verify?: boolean;
  /** Whether to publish even if released builds disappear. */
  allowOlder?: boolean;
  /** Whether a game that cannot be published keeps its published state while the others are published. */
  isPartial?: boolean;
  /** ms since 1970. */
  now: number;
}

/** The result of a publication. */
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

export function summarise({ files, sent, removed, isNewIndex }: Publication): string {
  const parts = [
    `${countOf(files.length, 'file')}, ${megabytes(sizeOf(files))}`,
    `${sent.length} sent, ${megabytes(sizeOf(sent))}`,
    `${removed.length} removed`,
    ...(isNewIndex ? ['the index replaced'] : []),
  ];
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
  const { dist, snapshots = false, prune = false, verify = false, now } = options;
  const whole = await needIndex(dist);
  const there = snapshots ? [] : ((await readJson<Index>(target, INDEX_FILE))?.games ?? []);
  const manifests = new Map<string, Manifest>();
  for (const { slug, manifest: ref } of whole.games) {
    const manifest = await readManifest(dist, ref);
    if (manifest === undefined) throw damaged(dist, ref);
    manifests.set(slug, manifest);
  }
  const leftOut = await findLeftOut(target, there, whole.games, manifests, options);
  const games = whole.games.filter(({ slug }) => !leftOut.has(slug));
  const kept = there.filter(({ slug }) => leftOut.has(slug));
  const order = [...whole.games, ...kept].map(({ slug }) => slug);
  const index = {
    ...whole,
    games: [...games, ...kept].sort((a, b) => order.indexOf(a.slug) - order.indexOf(b.slug)),
  };
  const builds = games.flatMap(({ slug }) => manifests.get(slug)?.builds ?? []);
  const isReleased = ({ released_at }: { released_at: string }) => Date.parse(released_at) <= now;
  // A file that dist/ has compressed is published plain to a CDN: an address is signed for one file, and a CDN compresses files itself.
  const refs: PublishedRef[] = snapshots
    ? builds.filter(isReleased).flatMap<PublishedRef>(downloadsOf)
    : [...builds.flatMap(filesOf), ...games.map(({ manifest }) => manifest)];
  const files = [...new Map(refs.map((ref) => [ref.file, ref])).values()];
  progress.step(`listing the files of ${target.name}`);
  const present = await target.list();
  if (verify)
    await eachFile(
      files.filter(({ file }) => present.has(file)),
      progress,
      async ({ file, sha256 }) => {
        const content = await target.read(file);
        if (!content || hash('sha256', content) !== sha256) present.delete(file);
      },
    );
  const sent = files.filter(({ file, bytes }) => present.get(file)?.bytes !== bytes);
  await eachFile(sent, progress, async (ref) => {
    const content = await readContent(dist, ref);
    if (content === undefined) throw damaged(dist, ref);
    await target.write(ref.file, content);
  });
  const bytes = encodeIndex(index);
  const isNewIndex = !snapshots && !(await target.read(INDEX_FILE))?.equals(bytes);
  if (isNewIndex) await target.write(INDEX_FILE, bytes);
  const named = new Set(files.map(({ file }) => file));
  const removed = [...present].flatMap(([file, { at }]) =>
    prune && !named.has(file) && at < now - MIN_KEPT_MS ? [file] : [],
  );
  await inParallel(removed, MAX_PARALLEL_FILES, (file) => target.remove(file));
  const unreleased = snapshots ? 0 : builds.filter((build) => !isReleased(build)).length;
  const why = [...leftOut].map(([slug, reason]) => `${slug} stays as it is: ${reason}`);
  return { files, sent, removed, isNewIndex, unreleased, leftOut: why };
}

/**
 * Finds the games that keep their published state, with the reason: dist/ lacks released builds of them, or their builds may still change.
 *
 * @throws CommandError if there are such games, unless only the others are to be published
 */
async function findLeftOut(
  target: Target,
  there: Index['games'],
  games: Index['games'],
  manifests: ReadonlyMap<string, Manifest>,
  { dist, allowOlder, isPartial, now }: PublishOptions,
): Promise<ReadonlyMap<string, string>> {
  const leftOut = new Map<string, string>();
  const lost: string[] = [];
  for (const { slug, manifest: ref } of there) {
    const game = games.find((each) => each.slug === slug);
    if (game?.manifest.file === ref.file) continue;
    const { builds = [], withdrawn = [] } = manifests.get(slug) ?? {};
    const known = new Set([...builds, ...withdrawn].map(({ build }) => build));
    const published = (await readJson<Manifest>(target, ref.file))?.builds ?? [];
    const missing = published
      .filter(({ build, released_at }) => !known.has(build) && Date.parse(released_at) <= now)
      .map(({ build }) => build);
    lost.push(...missing.map((build) => `${slug} ${build}`));
    if (game === undefined) leftOut.set(slug, 'dist/ does not have it');
    else if (missing.length > 0) leftOut.set(slug, `${missing.join(', ')} would vanish`);
  }
  const unrecorded = (await readUnrecorded(dist)).filter((slug) => manifests.has(slug));
  for (const slug of unrecorded) leftOut.set(slug, 'its builds are a draft, or not recorded');
  if (isPartial) return leftOut;
  if (unrecorded.length > 0)
    throw new CommandError(
      `builds of ${unrecorded.join(', ')} in ${dist}/ are not recorded, so they may still change: remove "draft" from game.json if it has it, and run gamedata build without --watch`,
    );
  if (lost.length > 0 && !allowOlder) {
    const few = [...lost.slice(0, MAX_NAMED), ...(lost.length > MAX_NAMED ? ['…'] : [])].join(', ');
    throw new CommandError(
      `${countOf(lost.length, 'released build')} of ${target.name} would vanish (${few}): this dist/ is older; build it from the newest data, or pass --allow-older`,
    );
  }
  return new Map();
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
