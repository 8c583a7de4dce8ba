import { createHash, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readNote, UNCHECKED, UNRECORDED } from '../dist/notes.ts';
import { readIndex, readManifest, readWhole } from '../dist/read-dist.ts';
import { encodeIndex } from '../dist/write-dist.ts';
import { type FileRef, INDEX_FILE, type Index } from '../format/dist-format.ts';
import { PUBLISHED_FILE } from '../publication/published.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf, megabytes } from '../lib/count-of.ts';
import { inParallel } from '../lib/in-parallel.ts';
import type { Progress } from '../lib/progress.ts';
import { listAll, listSnapshots, type PublishedGame, planPublication } from './publication.ts';
import { type IndexOptions, planPublished, refuseOlder } from './published.ts';
import type { Target } from './target.ts';

export interface PublishOptions extends Partial<IndexOptions> {
  /** The folder that `gamedata build` wrote. */
  dist: string;
  /** Whether only the snapshots of released builds are published, without an index. */
  snapshots: boolean;
  /** Whether files that the index no longer names are removed. */
  prune: boolean;
  /** Whether the SHA-256 of the target's files is compared, and not only their sizes. */
  verify: boolean;
  /** Whether nothing is sent or removed. */
  dryRun: boolean;
  /** Whether builds are published that no part compared with those before. */
  uncheckedSteps?: boolean;
  /** Whether to publish although released builds vanish. */
  allowOlder?: boolean;
  /** ms since 1970. */
  now: number;
}

/** What a publication did, or would do. */
export interface Published {
  /** All files that are published, also those that the target had. */
  files: FileRef[];
  sent: FileRef[];
  /** Paths of files. */
  removed: string[];
  /** Whether the target's index changed. */
  isNewIndex: boolean;
  /** The serial of published.json if it was written. */
  serial: number | undefined;
  /** How many of the published builds are not released yet. */
  unreleased: number;
}

/** A file to publish. One of which dist/ has only the compressed forms, such as a snapshot, is published plain. */
type PublishedRef = FileRef & { gzip?: FileRef };

/** So many builds are named in a message. */
const MAX_NAMED = 3;
/** How many files are sent, read or removed at once. */
const MAX_PARALLEL_FILES = 8;

/**
 * Copies dist/ to a target: first every file that is missing there, each compared with its SHA-256, then the index that names them.
 * If this fails, readers of the target still see the old state, and the next run continues where this one stopped.
 *
 * @throws CommandError
 */
export async function publish(
  target: Target,
  options: PublishOptions,
  progress: Progress,
): Promise<Published> {
  const { dist, snapshots, prune, verify, dryRun, now } = options;
  const index = await readIndex(dist);
  if (index === undefined) throw new CommandError(`no ${dist}/${INDEX_FILE}: run gamedata build`);
  if (!options.uncheckedSteps) await refuseUnchecked(dist, index);
  await refuseUnrecorded(dist, index);
  const games = await readGames(dist, index);
  const lost = snapshots || options.allowOlder ? [] : await refuseOlder(target, games, now);
  if (lost.length > 0) progress.done(describeLost(target, lost));
  const files: PublishedRef[] = snapshots ? listSnapshots(games, now) : listAll(games);
  progress.step(`listing the files of ${target.name}`);
  const present = await target.list();
  if (verify) {
    const there = files.filter(({ file }) => present.has(file));
    for (const file of await findDamaged(target, there, progress)) present.delete(file);
  }
  const { send, remove } = planPublication(files, present, now);
  const removed = prune ? remove : [];
  const plan = snapshots ? undefined : await planIndexes(target, index, options);
  if (!dryRun) {
    await sendAll(target, dist, send, progress);
    for (const [file, content] of plan?.write ?? []) await target.write(file, content);
    await inParallel(removed, MAX_PARALLEL_FILES, (file) => target.remove(file));
  }
  const { isNewIndex = false, serial } = plan ?? {};
  const unreleased = snapshots ? 0 : countUnreleased(games, now);
  return { files, sent: send, removed, isNewIndex, serial, unreleased };
}

function describeLost(target: Target, lost: readonly string[]): string {
  const few = `${lost.slice(0, MAX_NAMED).join('; ')}${lost.length > MAX_NAMED ? '; …' : ''}`;
  return `warning: ${target.name} has ${countOf(lost.length, 'build')} in formats that this dist/ has not (${few}): they can no longer be downloaded; build with --formats to keep them`;
}

/** Refuses games with builds that `gamedata build --unchecked-steps` accepted. */
async function refuseUnchecked(dist: string, { games }: Index): Promise<void> {
  const noted = await readNote(dist, UNCHECKED);
  const unchecked = games.map(({ slug }) => slug).filter((slug) => noted.includes(slug));
  if (unchecked.length === 0) return;
  throw new CommandError(
    `builds of ${unchecked.join(', ')} in ${dist}/ were not checked for damage, because the part "steps" was not installed: run gamedata build where it is, or publish them as they are with --unchecked-steps`,
  );
}

/** Refuses games whose builds may still change. */
async function refuseUnrecorded(dist: string, { games }: Index): Promise<void> {
  const noted = await readNote(dist, UNRECORDED);
  const unrecorded = games.map(({ slug }) => slug).filter((slug) => noted.includes(slug));
  if (unrecorded.length === 0) return;
  throw new CommandError(
    `builds of ${unrecorded.join(', ')} in ${dist}/ are not recorded, so they may still change: remove "draft" from game.json if it has it, and run gamedata build without --watch`,
  );
}

function countUnreleased(games: readonly PublishedGame[], now: number): number {
  const builds = games.flatMap(({ manifest }) => manifest.builds);
  return builds.filter(({ released_at }) => Date.parse(released_at) > now).length;
}

/** index.json is for gateways of versions that do not read published.json, which is written last. */
async function planIndexes(target: Target, index: Index, { signingKey, serial, supersede }: PublishOptions) {
  const bytes = encodeIndex(index);
  const isNewIndex = !(await target.read(INDEX_FILE))?.equals(bytes);
  const published = await planPublished(target, bytes.toString(), { signingKey, serial, supersede });
  const write: [file: string, content: Buffer][] = [];
  if (isNewIndex) write.push([INDEX_FILE, bytes]);
  if (published) write.push([PUBLISHED_FILE, Buffer.from(JSON.stringify(published))]);
  return { isNewIndex, serial: published?.serial, write };
}

async function readGames(dist: string, index: Index): Promise<PublishedGame[]> {
  const games: PublishedGame[] = [];
  for (const { manifest: ref } of index.games) {
    const manifest = await readManifest(dist, ref);
    if (manifest === undefined) throw damaged(dist, ref);
    games.push({ ref, manifest });
  }
  return games;
}

/** @returns the paths of files that are missing at a target or have the wrong content there */
async function findDamaged(target: Target, files: readonly FileRef[], progress: Progress): Promise<string[]> {
  const faults: string[] = [];
  await eachFile(files, progress, async ({ file, sha256 }) => {
    const content = await target.read(file);
    if (!content || createHash('sha256').update(content).digest('hex') !== sha256) faults.push(file);
  });
  return faults;
}

async function sendAll(
  target: Target,
  dist: string,
  files: readonly PublishedRef[],
  progress: Progress,
): Promise<void> {
  await eachFile(files, progress, async (ref) => {
    const content = await readContent(dist, ref);
    if (content === undefined) throw damaged(dist, ref);
    await target.write(ref.file, content);
  });
}

/** @returns the bytes of a file; undefined if dist/ does not have them */
async function readContent(dist: string, ref: PublishedRef): Promise<Buffer | undefined> {
  if (!ref.gzip) return await readWhole(dist, ref);
  const compressed = await readWhole(dist, ref.gzip);
  const plain = compressed && (await promisify(gunzip)(compressed));
  return plain && hash('sha256', plain) === ref.sha256 ? plain : undefined;
}

/** Does work on several files at once, and shows the progress. */
async function eachFile<Ref extends FileRef>(
  files: readonly Ref[],
  progress: Progress,
  work: (ref: Ref) => Promise<void>,
): Promise<void> {
  const total = sizeOf(files);
  let count = 0;
  let bytes = 0;
  await inParallel(files, MAX_PARALLEL_FILES, async (ref) => {
    await work(ref);
    count += 1;
    bytes += ref.bytes;
    const done = `${count} of ${countOf(files.length, 'file')}, ${megabytes(bytes)} of ${megabytes(total)}`;
    progress.step(`${drawBar(bytes / total)} ${done}`);
  });
}

/** The sum of the files' sizes, in bytes. */
export function sizeOf(files: readonly FileRef[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

const BAR_LENGTH = 24;

function drawBar(part: number): string {
  const full = Math.round(part * BAR_LENGTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_LENGTH - full)}`;
}

function damaged(dist: string, { file }: FileRef): CommandError {
  return new CommandError(
    `${dist}/${file} is missing or damaged: run gamedata verify, then gamedata build; the index of the target has not changed`,
  );
}
