import path from 'node:path';
import { damagedFile, distReader, readIndex, readManifest } from '../../dist/read-dist.ts';
import type { Finding } from '../../findings.ts';
import { type BuildContent, contentReader, type ReadFile } from '../../format/build-content.ts';
import { type BuildEntry, INDEX_FILE, type Manifest, type Renames } from '../../format/dist-format.ts';
import { CommandError, type Progress } from '../../system.ts';
import { readGame, type UpstreamOptions } from '../../read/game.ts';
import { DEFAULT_LIMITS, type Limits, startCompiler, type StartWorkers } from '../../compile/workers.ts';
import { renamesBetween } from '../../diff/compare.ts';

/** The builds of a game. */
export interface Builds {
  manifest: Manifest;
  /** The names of all builds, oldest first. */
  names: string[];
  /** Where they come from, for messages. */
  place: string;
  read: (entry: BuildEntry) => Promise<BuildContent>;
}

/** How builds are compiled to be read. */
export interface CompileBuilds {
  /** The names of builds, and how many of the newest; absent for all. */
  only?: { names: string[]; newest: number } | undefined;
  progress: Progress;
  upstream: UpstreamOptions;
  limits?: Limits;
  start?: StartWorkers | undefined;
}

/**
 * Compiles some builds of a game. What gates find is only a warning, so that a build can be read that they hold back.
 *
 * @returns no builds after an error
 */
export async function compileBuilds(
  data: string,
  slug: string,
  { only, progress, upstream, limits = DEFAULT_LIMITS, start }: CompileBuilds,
): Promise<{ builds: Builds | undefined; findings: Finding[] }> {
  const compiler = startCompiler(1, limits, 1, start);
  const options = { lenient: true, ...(only && { only }), upstream };
  const compiling = compiler.compile(data, [slug], { ...progress, done() {} }, options);
  const { value, findings } = await compiling.finally(() => compiler.close());
  progress.clear();
  const [plan] = value;
  if (plan === undefined) return { builds: undefined, findings };
  const readFile: ReadFile = async ({ file }) => Buffer.from(plan.files.get(file) as Uint8Array);
  const manifest: Manifest = JSON.parse((await readFile(plan.manifest)).toString());
  const place = path.posix.join(data, slug);
  const builds = { manifest, names: plan.builds, place, read: contentReader(manifest, readFile) };
  return { builds, findings };
}

/**
 * Opens the builds that dist/ has of a game.
 *
 * @returns undefined if it does not have the game
 */
export async function findInDist(out: string, slug: string): Promise<Builds | undefined> {
  const index = await readIndex(out);
  const ref = index?.games.find((game) => game.slug === slug)?.manifest;
  if (ref === undefined) return undefined;
  const manifest = await readManifest(out, ref);
  if (manifest === undefined) throw damagedFile(out, ref);
  const names = manifest.builds.map(({ build }) => build);
  return { manifest, names, place: `${slug} in ${out}/`, read: distReader(out, manifest) };
}

/** The same for a game that has to be there. @throws CommandError */
export async function openDist(out: string, slug: string): Promise<Builds> {
  const builds = await findInDist(out, slug);
  if (builds) return builds;
  throw (await readIndex(out)) === undefined
    ? new CommandError(`no ${out}/${INDEX_FILE}: run gamedata build, or set the folder with --out`)
    : new CommandError(`no game ${slug} in ${out}/: run gamedata build ${slug}`);
}

/** The records of a build that have other ids in a later one; none if data/ does not have the earlier build any more. */
export async function findRenames(folder: string, from: string, to: string): Promise<Renames> {
  const { value: game } = await readGame(folder, path.posix.basename(folder));
  const builds = game?.builds ?? [];
  const [before, after] = [from, to].map((name) => builds.find(({ build }) => build === name));
  return before && after ? renamesBetween(builds, before, after) : {};
}
