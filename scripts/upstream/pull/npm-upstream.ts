import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isObject, type Json } from '../../format/dist-format.ts';
import type { FoundBuild, UpstreamOptions } from '../../read/game.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';
import { parseJson } from '../../read/json.ts';
import { matchPattern } from '../../read/patterns.ts';
import { CommandError } from '../../system.ts';
import { hashFile, placeFiles, readPathsOf } from '../add/files.ts';
import { runApart, valueAt } from '../add/trim.ts';
import { limitsOfSource, type RawSource } from '../source.ts';
import { findProblem, type GameUpstream, makeBuild, readDate, type UpstreamBuild } from './builds.ts';
import { type Connection, connectTo, fetchFile } from './fetch.ts';
import { withCacheFolder, withCopies } from './file-upstream.ts';
import { unpack } from './unpack.ts';

/** A registry's description of a package. */
interface Packument {
  /** The registry's address, with "/" at its end. */
  registry: string;
  name: string;
  /** The newest version, according to the tag `latest`. */
  latest: string;
  /** The available versions: address, and SHA-512 as `sha512-…`. */
  versions: ReadonlyMap<string, { tarball: string; integrity: string }>;
}

/** Builds, each with its groups of rows if the version is split, and the problems of what should be a build. */
interface Found {
  builds: (UpstreamBuild & { groups?: ReadonlySet<string> })[];
  problems: string[];
}

const MAX_PACKUMENT_BYTES = 64 * 1024 * 1024;
/** The host in the addresses of tarballs that other registries copied from it. */
const PUBLIC_REGISTRY = 'https://registry.npmjs.org/';

/**
 * Fetches the registry's description of a game's package, and calls `use` with the builds of its versions. No script of a package runs.
 *
 * @param present the builds of the game
 * @throws CommandError if the registry cannot be reached, or has other content for a version that a build was made from
 */
export async function useNpm<T>(
  raw: RawGameDefinition,
  source: RawSource,
  present: readonly FoundBuild[],
  { cache }: Pick<UpstreamOptions, 'cache'>,
  use: (upstream: GameUpstream) => Promise<T>,
): Promise<T> {
  const { npm: name = '', versions, split, parts = {} } = source;
  const limits = limitsOfSource(source);
  return await withCacheFolder(cache, `npm ${name}`, async (folder) => {
    const packument = await fetchPackument(name, folder, limits.maxMs);
    refuseChanged(packument, present);
    const lacks = (version: string, file: string, member: 'split' | 'parts') =>
      new CommandError(
        `${name} ${version} has no ${file}, which "${member}" in "source" names: upstream has another shape now; look at the package, and correct "${member}" in game.json`,
      );
    /** Unpacks files of a version. @returns the place of each, by its path in the package */
    const unpackVersion = async (version: string, wanted: (file: string) => boolean) => {
      const tarball = await fetchTarball(packument, version, folder, limits);
      const target = path.join(folder, 'unpacked');
      await rm(target, { recursive: true, force: true });
      const inPackage = (file: string) => file.slice(file.indexOf('/') + 1);
      const options = { wanted: (file: string) => wanted(inPackage(file)), maxBytes: limits.read };
      const files = await unpack(tarball, target, options);
      return new Map([...files].map(([file, from]) => [inPackage(file), from]));
    };
    const found: Found = { builds: [], problems: [] };
    if (versions) findVersions(packument, versions, found);
    if (split) {
      const { latest } = packument;
      const file = (await unpackVersion(latest, (each) => each === split.file)).get(split.file);
      const parsed = file === undefined ? undefined : parseJson(await readFile(file, 'utf8'), split.file);
      const rows = parsed && 'value' in parsed ? valueAt(parsed.value, split.at ?? '') : undefined;
      if (rows === undefined) throw lacks(latest, `${split.file} ${split.at ?? ''}`.trimEnd(), 'split');
      splitVersion(packument, rows, split, found);
    }
    const { builds, problems } = found;
    builds.sort((a, b) => Date.parse(a.released_at) - Date.parse(b.released_at));

    /** The files of a version by their paths in a build's folder; large ones are divided. */
    const prepare = async (version: string): Promise<ReadonlyMap<string, string>> => {
      const place = placeFiles(raw);
      const isLarge = (file: string) => Object.hasOwn(parts, file);
      const packed = await unpackVersion(version, (file) => isLarge(file) || place(file) !== undefined);
      const target = path.join(folder, 'parts');
      await rm(target, { recursive: true, force: true });
      const files = new Map<string, string>();
      for (const [file, ofFile] of Object.entries(parts)) {
        const from = packed.get(file);
        if (from === undefined) throw lacks(version, file, 'parts');
        const what = `${name} ${version}`;
        const task = { from, file, name: what, parts: ofFile, folder: target };
        const done = await runApart(task, `${what}: ${file} cannot be divided`);
        for (const each of done.files) files.set(each, path.join(target, each));
      }
      for (const [file, from] of packed) {
        const placed = isLarge(file) ? undefined : place(file);
        if (placed !== undefined) files.set(placed, from);
      }
      return files;
    };
    /** The builds of a split version follow each other, and have the same files. */
    let prepared: { version: string; files: Promise<ReadonlyMap<string, string>> } | undefined;
    const none = 'no version of the package names a build: check "versions" of "source" in game.json';
    return await use({
      ...{ builds, problems, faults: builds.length + problems.length > 0 ? [] : [none] },
      async withDump({ build, package: { version } = { version: '' } }, take) {
        const groups = builds.find((each) => each.build === build)?.groups;
        if (prepared?.version !== version) prepared = { version, files: prepare(version) };
        const { isRead } = readPathsOf(raw);
        // A build has all files without a group, and those of its groups.
        const targets = Object.values(parts).flatMap(Object.entries);
        const grouped = targets.flatMap(([file, { each }]) => (each === undefined ? [] : matchPattern(file)));
        const isOfBuild = (file: string) =>
          !groups || !grouped.some((isOf) => isOf(file)) || groups.has(path.posix.parse(file).name);
        const files = [...(await prepared.files)].filter(([file]) => isOfBuild(file) && isRead(file));
        return await withCopies(folder, files, (dump) => take(dump, undefined));
      },
    });
  });
}

/** Finds the builds in a table of versions. A newer version that it lacks is a problem: nothing else names its build. */
function findVersions(
  packument: Packument,
  versions: NonNullable<RawSource['versions']>,
  found: Found,
): void {
  const { name, latest } = packument;
  for (const [version, { build, released_at }] of Object.entries(versions)) {
    const date = readDate(released_at);
    const problem = packument.versions.has(version)
      ? findProblem(build, date === undefined)
      : `is in "versions" of "source", and the registry has no such version of ${name} with a SHA-512`;
    if (problem !== undefined) found.problems.push(`version ${version} ${problem}`);
    else found.builds.push(buildOf(packument, version, build, date ?? ''));
  }
  if (!Object.hasOwn(versions, latest))
    found.problems.push(
      `version ${latest}, the newest of ${name}: add the build that it is to "versions" of "source", as in "${latest}": {"build": "1.0", "released_at": "2026-01-31"}`,
    );
}

/**
 * Splits the newest version into builds: one per date, with the groups of rows until then. The first group of a date names its build.
 *
 * @param rows with the dates of the groups
 */
function splitVersion(
  packument: Packument,
  rows: Json,
  { file, build, date }: NonNullable<RawSource['split']>,
  found: Found,
): void {
  const groups = Object.values(rows ?? {}).flatMap((row) => {
    const { [build]: group, [date]: day } = isObject(row) ? row : {};
    const at = typeof day === 'string' ? readDate(day) : undefined;
    const problem =
      typeof group === 'string' ? findProblem(group, at === undefined) : `has a row without "${build}"`;
    if (typeof group === 'string' && at !== undefined && problem === undefined) return { group, at };
    found.problems.push(`${file} ${problem}`);
    return [];
  });
  for (const until of new Set(groups.map(({ at }) => at).sort())) {
    const name = groups.find(({ at }) => at === until)?.group ?? '';
    const earlier = groups.filter(({ at }) => at <= until).map(({ group }) => group);
    const made = buildOf(packument, packument.latest, name, until);
    found.builds.push({ ...made, groups: new Set(earlier) });
  }
}

function buildOf(
  { name, versions }: Packument,
  version: string,
  build: string,
  released_at: string,
): UpstreamBuild {
  const { integrity = '' } = versions.get(version) ?? {};
  const made = makeBuild(build, released_at, integrity, `${name} ${version}`);
  return { ...made, package: { npm: name, version, integrity } };
}

/** Asks npm for the registry of this machine. Settings of folders are ignored: a repository of games must not choose the registry. */
async function findRegistry(): Promise<string> {
  const args = ['config', 'get', 'registry'];
  const run = promisify(execFile)('npm', args, { cwd: homedir(), timeout: 60_000 });
  const { stdout } = await run.catch((error: Error) => {
    // npm does not print an address with a password.
    throw new CommandError(
      `npm does not say which registry it uses: ${error.message.trim()}; install npm, and set a registry without a user name and password (npm config set registry)`,
    );
  });
  const registry = stdout.trim();
  if (URL.canParse(registry)) return registry.replace(/\/*$/, '/');
  throw new CommandError(
    `npm has no registry: "npm config get registry" prints ${registry}; set one with npm config set registry`,
  );
}

/** The registry is a setting of the machine, so it may be in a private network. */
function trusted(address: string): Connection {
  return { address, protocols: '', settings: [], addresses: undefined };
}

/** Fetches the registry's description of a package, without a token. @throws CommandError if the registry does not know the package */
async function fetchPackument(name: string, folder: string, maxMs: number): Promise<Packument> {
  const registry = await findRegistry();
  const target = path.join(folder, 'package.json');
  const connection = trusted(new URL(name.replace('/', '%2f'), registry).href);
  await fetchFile(connection, target, undefined, { maxBytes: MAX_PACKUMENT_BYTES, maxMs });
  const parsed = parseJson(await readFile(target, 'utf8'), target);
  const { versions, 'dist-tags': tags } = 'value' in parsed && isObject(parsed.value) ? parsed.value : {};
  const latest = isObject(tags) ? tags.latest : undefined;
  if (!isObject(versions) || typeof latest !== 'string')
    throw new CommandError(`${registry} responds to ${name} with something that is no package`);
  const releases = Object.entries(versions).flatMap(([version, facts]) => {
    const { tarball, integrity } = isObject(facts) && isObject(facts.dist) ? facts.dist : {};
    const sha512 = String(integrity)
      .split(/\s+/)
      .find((each) => each.startsWith('sha512-'));
    if (typeof tarball !== 'string' || sha512 === undefined) return [];
    return [[version, { tarball, integrity: sha512 }] as const];
  });
  return { registry, name, latest, versions: new Map(releases) };
}

/**
 * Downloads the tarball of a version once. @returns its path
 *
 * @throws CommandError if it cannot be downloaded, or does not have the SHA-512 of the registry
 */
async function fetchTarball(
  { registry, name, versions }: Packument,
  version: string,
  folder: string,
  { read: maxBytes, maxMs }: { read: number; maxMs: number },
): Promise<string> {
  const { tarball, integrity } = versions.get(version) ?? {};
  if (tarball === undefined || integrity === undefined)
    throw new CommandError(`the registry has no version ${version} of ${name} with a SHA-512`);
  const target = path.join(folder, `${encodeURIComponent(version)}.tgz`);
  const sha512Of = async () =>
    `sha512-${Buffer.from(await hashFile(target, 'sha512'), 'hex').toString('base64')}`;
  if ((await sha512Of().catch(() => undefined)) === integrity) return target;
  const address = tarball.startsWith(PUBLIC_REGISTRY)
    ? `${registry}${tarball.slice(PUBLIC_REGISTRY.length)}`
    : tarball;
  const isOwn = new URL(address).origin === new URL(registry).origin;
  const connection = isOwn ? trusted(address) : await connectTo(address, false);
  await fetchFile(connection, target, undefined, { maxBytes, maxMs });
  const sha512 = await sha512Of();
  if (sha512 === integrity) return target;
  throw new CommandError(
    `${address} is not what the registry says of ${name} ${version}: its SHA-512 is ${sha512}, expected ${integrity}; pull again, and if that does not help, ask the operator of the registry`,
  );
}

/** Compares a package with the versions that builds were made from: a version never changes. */
function refuseChanged({ registry, name, versions }: Packument, builds: readonly FoundBuild[]): void {
  for (const { build, package: origin } of builds) {
    if (origin?.npm !== name) continue;
    const now = versions.get(origin.version)?.integrity;
    if (now === undefined || now === origin.integrity) continue;
    throw new CommandError(
      `${registry} has something else as ${name} ${origin.version} than build ${build} was made from: ${now}, and build.json has ${origin.integrity}. A version never changes: ask the operator of the registry which is right; nothing was added`,
    );
  }
}
