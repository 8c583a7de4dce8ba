import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readUnrecorded } from '../dist/lock.ts';
import { damagedFile, needIndex, readManifest, readSound } from '../dist/read-dist.ts';
import { encodeIndex } from '../dist/write-dist.ts';
import {
  type BuildEntry,
  downloadsOf,
  type FileRef,
  filesOf,
  INDEX_FILE,
  type Index,
  type Manifest,
} from '../format/dist-format.ts';
import { CommandError, createProgress, inParallel, type Progress } from '../system.ts';
import { countOf, megabytes } from '../text.ts';
import { GAME_FILE, headersOf, openTarget, type Target } from './targets.ts';

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
  /** Why games keep their published state; with the code `busy` if their builds may still change, or if they are not here. */
  faults: CommandError[];
}

type Game = Index['games'][number];

/** A file to publish. If dist/ has only its compressed forms, as for a snapshot, it is published plain. */
type PublishedRef = FileRef & { gzip?: FileRef };

/** How many files are sent, read or removed at once. */
const MAX_PARALLEL_FILES = 8;
/** How long a file is kept that the index no longer references: readers of an older index, and other publications, may need it. */
const MIN_KEPT_MS = 86_400_000;

/** Publishes all of a dist/, and prints the result. @returns the faults of the games that keep their published state */
export async function publishDist(dist: string, address: string, endpoint?: string): Promise<string[]> {
  const progress = createProgress(process.stderr);
  const target = await openTarget(address, endpoint);
  const done = await publish(target, { dist, now: Date.now() }, progress).finally(progress.clear);
  process.stdout.write(`${address}: ${summarisePublication(done)}\n`);
  return done.faults.flatMap(({ code, message }) => (code === 'busy' ? [] : message));
}

export function summarisePublication({ files, sent, removed, isNewIndex }: Publication): string {
  const sizeOf = (refs: FileRef[]) => megabytes(refs.reduce((sum, { bytes }) => sum + bytes, 0));
  return [
    `${countOf(files.length, 'file')}, ${sizeOf(files)}`,
    `${sent.length} sent, ${sizeOf(sent)}`,
    `${removed.length} removed`,
    ...(isNewIndex ? ['the index replaced'] : []),
  ].join('; ');
}

/** A publication under way. */
interface Work {
  target: Target;
  /** The sizes of the files that the target already has, by path. */
  sizes: ReadonlyMap<string, number>;
  unrecorded: readonly string[];
  options: PublishOptions;
  progress: Progress;
  done: Publication;
}

/**
 * Copies dist/ to a target: first every missing file, each compared with its SHA-256, then the index that references them. If this fails, readers of
 * the target still see the old state, and the next run continues from there. A game with a fault keeps its published state.
 *
 * @throws CommandError
 */
export async function publish(
  target: Target,
  options: PublishOptions,
  progress: Progress,
): Promise<Publication> {
  const { dist, snapshots = false, prune = false, now } = options;
  const index = await needIndex(dist);
  const there = snapshots ? [] : ((await readJson<Index>(target, INDEX_FILE))?.games ?? []);
  progress.step(`listing the files of ${target.name}`);
  const listed = (await target.list()).filter(({ file }) => GAME_FILE.test(file));
  const sizes = new Map(listed.map(({ file, bytes }) => [file, bytes]));
  const done: Publication = {
    files: [],
    sent: [],
    removed: [],
    isNewIndex: false,
    unreleased: 0,
    faults: [],
  };
  const work = { target, sizes, unrecorded: await readUnrecorded(dist), options, progress, done };
  const games: Game[] = [];
  const staying = new Set<string>();
  for (const slug of new Set([...index.games, ...there].map((game) => game.slug).sort())) {
    const [game, before] = [index.games, there].map((all) => all.find((each) => each.slug === slug));
    try {
      const builds = await checkGame(work, game, before);
      if (game === undefined) continue;
      await sendGame(work, game, builds);
      games.push(game);
    } catch (error) {
      if (!(error instanceof CommandError) || error.code === undefined) throw error;
      done.faults.push(new CommandError(`${slug} stays as it is: ${error.message}`, 1, error.code));
      staying.add(slug);
      if (before) games.push(before);
    }
  }
  const bytes = encodeIndex({ ...index, games });
  done.isNewIndex = !snapshots && !(await target.read(INDEX_FILE))?.equals(bytes);
  if (done.isNewIndex) await target.write(INDEX_FILE, bytes, headersOf(INDEX_FILE));
  const named = new Set(done.files.map(({ file }) => file));
  for (const { file, at } of prune ? listed : []) {
    const isUsed = named.has(file) || staying.has(file.split('/', 1)[0] ?? '');
    if (!isUsed && at < now - MIN_KEPT_MS) done.removed.push(file);
  }
  await inParallel(done.removed, MAX_PARALLEL_FILES, (file) => target.remove(file));
  return done;
}

/**
 * Returns the builds of a game in dist/.
 *
 * @param before the published game
 * @throws CommandError with a code if the game must keep its published state
 */
async function checkGame(
  { target, unrecorded, options: { dist, allowOlder, now } }: Work,
  game: Game | undefined,
  before: Game | undefined,
): Promise<BuildEntry[]> {
  const manifest = game && (await readManifest(dist, game.manifest));
  if (game && !manifest) throw damagedFile(dist, game.manifest);
  if (game && unrecorded.includes(game.slug)) {
    const remedy = 'remove "draft" from game.json if it has it, and run gamedata build without --watch';
    const fault = `its builds in ${dist}/ are not recorded, so they may still change: ${remedy}`;
    throw new CommandError(fault, 1, 'busy');
  }
  const { builds = [], withdrawn = [] } = manifest ?? {};
  if (before === undefined || allowOlder || game?.manifest.file === before.manifest.file) return builds;
  const known = new Set([...builds, ...withdrawn].map(({ build }) => build));
  const published = (await readJson<Manifest>(target, before.manifest.file))?.builds ?? [];
  const lost = published.filter((entry) => !known.has(entry.build) && isReleased(entry, now));
  if (game && lost.length === 0) return builds;
  const remedy = 'this dist/ is older; build it from the newest data, or pass --allow-older';
  const what = `${countOf(lost.length, 'released build')} would vanish (${lost.map(({ build }) => build)})`;
  // A game that was removed, or that another builder publishes, is no failure of every later round.
  throw new CommandError(
    `${game ? what : `${dist}/ does not have it`}: ${remedy}`,
    1,
    game ? 'data' : 'busy',
  );
}

/** Sends the files of a game that the target lacks. @throws CommandError with a code if one of them is damaged */
async function sendGame(
  { target, sizes, options, progress, done }: Work,
  { slug, manifest }: Game,
  builds: readonly BuildEntry[],
): Promise<void> {
  const { dist, snapshots, verify, now } = options;
  const released = builds.filter((entry) => isReleased(entry, now));
  // A file that dist/ has compressed is published plain to a CDN: an address is signed for one file, and a CDN compresses files itself.
  const refs: PublishedRef[] = snapshots
    ? released.flatMap<PublishedRef>(downloadsOf)
    : [...builds.flatMap(filesOf), manifest];
  const files = [...new Map(refs.map((ref) => [ref.file, ref])).values()];
  let count = 0;
  await inParallel(files, MAX_PARALLEL_FILES, async (ref) => {
    const { file, bytes, sha256 } = ref;
    const content = verify ? await target.read(file) : undefined;
    const isWhole = content && hash('sha256', content) === sha256;
    if (!(verify ? isWhole : sizes.get(file) === bytes)) {
      await target.write(file, await readContent(dist, ref), headersOf(file));
      done.sent.push(ref);
    }
    count += 1;
    progress.step(`${slug}: ${count} of ${countOf(files.length, 'file')}`);
  });
  done.files.push(...files);
  if (!snapshots) done.unreleased += builds.length - released.length;
}

const isReleased = ({ released_at }: BuildEntry, now: number) => Date.parse(released_at) <= now;

/** @returns undefined if the file does not exist or is not JSON */
async function readJson<T>(target: Target, file: string): Promise<T | undefined> {
  const bytes = await target.read(file);
  try {
    return bytes && JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** @throws CommandError with the code `damaged` */
async function readContent(dist: string, ref: PublishedRef): Promise<Buffer> {
  if (!ref.gzip) return await readSound(dist, ref);
  const plain = await promisify(gunzip)(await readSound(dist, ref.gzip));
  if (hash('sha256', plain) !== ref.sha256) throw damagedFile(dist, ref.gzip);
  return plain;
}
