import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readUnrecorded } from '../dist/lock.ts';
import * as distFiles from '../dist/read-dist.ts';
import { encodeIndex } from '../dist/write-dist.ts';
import {
  type BuildEntry,
  downloadsOf,
  type FileRef,
  filesOf,
  INDEX_FILE,
  type Index,
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
  /** The address of a store other than AWS. */
  endpoint?: string | undefined;
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
/** The file of a target with the files that the index does not name any more, and since when, in ms since 1970. */
const UNNAMED_FILE = 'unnamed.txt';
/** How long such a file is kept: readers of an older index, and other publications, may need it. */
const MIN_KEPT_MS = 86_400_000;

/** Publishes a dist/ to an address, and prints the result. */
export async function publishTo(address: string, options: PublishOptions): Promise<Publication> {
  const progress = createProgress(process.stderr);
  const target = await openTarget(address, options.endpoint);
  const done = await publish(target, options, progress).finally(progress.clear);
  const { files, sent, removed, isNewIndex } = done;
  const sizeOf = (refs: FileRef[]) => megabytes(refs.reduce((sum, { bytes }) => sum + bytes, 0));
  const summary = [
    `${address}: ${countOf(files.length, 'file')}, ${sizeOf(files)}`,
    `${sent.length} sent, ${sizeOf(sent)}`,
    `${removed.length} removed`,
    ...(isNewIndex ? ['the index replaced'] : []),
  ];
  process.stdout.write(`${summary.join('; ')}\n`);
  return done;
}

/** Publishes all of a dist/, if there is a target. @returns the faults of the games that keep their published state */
export async function publishDist(from: { out: string; publish?: string; endpoint?: string }) {
  if (from.publish === undefined) return [];
  const { faults } = await publishTo(from.publish, { ...from, dist: from.out, now: Date.now() });
  return faults.flatMap(({ code, message }) => (code === 'busy' ? [] : message));
}

const IF_OLDER = 'build it from the newest data, or pass --allow-older';
const IF_ABSENT = 'if it was removed for good, pass --allow-older; if another machine builds it, do nothing';

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
  const { dist, snapshots, allowOlder } = options;
  const index = await distFiles.needIndex(dist);
  // At once: a build removes its mark some time after it has replaced the index.
  const unrecorded = await readUnrecorded(dist);
  const there = snapshots ? [] : gamesIn(target, await target.read(INDEX_FILE), allowOlder);
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
  const work = { target, sizes, unrecorded, options, progress, done };
  const games: Game[] = [];
  const staying = new Set<string>();
  const slugs = new Set([...index.games, ...there].map((game) => game.slug).sort());
  for (const slug of slugs) {
    const [game, before] = [index.games, there].map((all) => all.find((each) => each.slug === slug));
    try {
      if (game === undefined && allowOlder) continue;
      // Not a failure of every later round.
      if (game === undefined) throw new CommandError(`${dist}/ does not have it: ${IF_ABSENT}`, 1, 'busy');
      await sendGame(work, game, await checkGame(work, game, before));
      games.push(game);
    } catch (error) {
      if (!(error instanceof CommandError) || error.code === undefined) throw error;
      done.faults.push(new CommandError(`${slug} stays as it is: ${error.message}`, 1, error.code));
      staying.add(slug);
    }
  }
  if (!snapshots) {
    const current = await target.read(INDEX_FILE);
    // Others may have published since it was read first: their games, or newer states of those of this dist/.
    const published = gamesIn(target, current, allowOlder);
    const others = published.filter(({ slug }) => staying.has(slug) || !slugs.has(slug));
    const known = new Set([...others, ...games, ...there].map(({ manifest }) => manifest.file));
    const newer = published.find(({ manifest }) => !known.has(manifest.file));
    if (newer) throw new CommandError(`another publication replaced ${newer.slug} meanwhile: run it again`);
    for (const { slug } of others) staying.add(slug);
    games.push(...others);
    const bytes = encodeIndex({ ...index, games: games.sort((a, b) => (a.slug < b.slug ? -1 : 1)) });
    done.isNewIndex = !current?.equals(bytes);
    if (done.isNewIndex) await target.write(INDEX_FILE, bytes, headersOf(INDEX_FILE));
  }
  // Without an index, only the games of this dist/ are known.
  const isKept = (slug: string) => staying.has(slug) || Boolean(snapshots && !allowOlder && !slugs.has(slug));
  await removeUnnamed(work, isKept);
  return done;
}

/** @throws CommandError if a target's index cannot be read, also of another version: another one in its place would drop the games of others */
function gamesIn({ name }: Target, index?: Buffer, allowOlder?: boolean): readonly Game[] {
  const games = index === undefined ? [] : distFiles.parseIndex(index.toString())?.games;
  if (games !== undefined || allowOlder) return games ?? [];
  throw new CommandError(`${name}/${INDEX_FILE} is not a readable index: restore it, or pass --allow-older`);
}

/** Notes since when files are not named, and removes them some time later. @param isKept whether the other files of a game are kept */
async function removeUnnamed(
  { target, sizes, options: { prune, now }, done }: Work,
  isKept: (slug: string) => boolean,
): Promise<void> {
  const before = String((await target.read(UNNAMED_FILE)) ?? '');
  const times = new Map([...before.matchAll(/^(\S+) (\d+)$/gm)].map(([, file, at]) => [file, Number(at)]));
  const named = new Set(done.files.map(({ file }) => file));
  const lines: string[] = [];
  for (const file of [...sizes.keys()].sort()) {
    const mayGo = !isKept(file.split('/', 1)[0] ?? '');
    const since = times.get(file) ?? (mayGo ? now : undefined);
    if (named.has(file) || since === undefined) continue;
    if (prune && mayGo && since < now - MIN_KEPT_MS) done.removed.push(file);
    else lines.push(`${file} ${since}\n`);
  }
  await inParallel(done.removed, MAX_PARALLEL_FILES, (file) => target.remove(file));
  const after = lines.join('');
  if (after !== before) await target.write(UNNAMED_FILE, Buffer.from(after), headersOf(UNNAMED_FILE));
}

/**
 * Returns the builds of a game in dist/.
 *
 * @param before the published game
 * @throws CommandError with a code if the game must keep its published state
 */
async function checkGame(
  { target, unrecorded, options: { dist, allowOlder, now } }: Work,
  game: Game,
  before: Game | undefined,
): Promise<BuildEntry[]> {
  const manifest = await distFiles.readManifest(dist, game.manifest);
  if (!manifest) throw distFiles.damagedFile(dist, game.manifest);
  if (unrecorded.includes(game.slug)) {
    const remedy = 'remove "draft" from game.json if it has it, and run gamedata build without --watch';
    const fault = `its builds in ${dist}/ are not recorded, so they may still change: ${remedy}`;
    throw new CommandError(fault, 1, 'busy');
  }
  const { builds, withdrawn = [] } = manifest;
  if (before === undefined || allowOlder || game.manifest.file === before.manifest.file) return builds;
  const published = distFiles.parseManifest(String(await target.read(before.manifest.file)));
  if (!published)
    throw new CommandError(`${before.manifest.file} is missing or damaged there: ${IF_OLDER}`, 1, 'damaged');
  const known = new Set([...builds, ...withdrawn].map(({ build }) => build));
  const lost = published.builds.filter((entry) => !known.has(entry.build) && isReleased(entry, now));
  if (lost.length === 0) return builds;
  const what = `${countOf(lost.length, 'released build')} would vanish (${lost.map(({ build }) => build).join(', ')})`;
  throw new CommandError(`${what}: this dist/ is older; ${IF_OLDER}`, 1, 'data');
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

/** @throws CommandError with the code `damaged` */
async function readContent(dist: string, ref: PublishedRef): Promise<Buffer> {
  if (!ref.gzip) return await distFiles.readSound(dist, ref);
  const plain = await promisify(gunzip)(await distFiles.readSound(dist, ref.gzip));
  if (hash('sha256', plain) !== ref.sha256) throw distFiles.damagedFile(dist, ref.gzip);
  return plain;
}
