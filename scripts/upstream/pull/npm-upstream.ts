import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { isObject, type Json } from '../../format/dist-format.ts';
import type { FoundBuild, UpstreamOptions } from '../../read/game.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';
import { parseJson } from '../../read/json.ts';
import { matchPattern } from '../../read/patterns.ts';
import { CommandError } from '../../system.ts';
import { hashFile, placeFiles } from '../add/files.ts';
import { runApart, valueAtPointer } from '../add/trim.ts';
import { limitsOfSource, type RawSource } from '../source.ts';
import { findProblem, type GameUpstream, makeBuild, readDate, type UpstreamBuild } from './builds.ts';
import { fetchFile } from './fetch.ts';
import { type FileUpstream, unpack, useCacheFolder } from './file-upstream.ts';

/** A registry's description of a package. */
interface Packument {
  name: string;
  /** The newest version, according to the tag `latest`. */
  latest: string;
  /** The SHA-512 of the available versions, as `sha512-…`. */
  versions: ReadonlyMap<string, string>;
}

const MAX_PACKUMENT_BYTES = 64 * 1024 * 1024;

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
  const { npm: name = '', versions = {}, split, parts = {} } = source;
  const { read: maxBytes, maxMs } = limitsOfSource(source);
  const find = async (folder: string): Promise<FileUpstream> => {
    const registry = await findRegistry(name);
    const download = async (file: string, target: string, most: number) => {
      // The registry is a setting of the machine, so it may be in a private network.
      const connection = { address: registry + file, settings: [], addresses: undefined };
      await fetchFile(connection, target, { maxBytes: most, maxMs });
    };
    const described = path.join(folder, 'package.json');
    await download(name.replace('/', '%2f'), described, MAX_PACKUMENT_BYTES);
    const packument = readPackument(name, await readFile(described, 'utf8'));
    refuseChanged(packument, present);

    /** Downloads a version once, and unpacks files of it. @returns the place of each, by its path in the package */
    const unpackVersion = async (version: string, wanted: (file: string) => boolean) => {
      const integrity = packument.versions.get(version);
      const tarball = path.join(folder, `${encodeURIComponent(version)}.tgz`);
      const sha512Of = async () =>
        `sha512-${Buffer.from(await hashFile(tarball, 'sha512'), 'hex').toString('base64')}`;
      if ((await sha512Of().catch(() => undefined)) !== integrity) {
        await download(`${name}/-/${path.posix.basename(name)}-${version}.tgz`, tarball, maxBytes);
        const sha512 = await sha512Of();
        if (sha512 !== integrity) {
          for (const each of [tarball, `${tarball}.json`]) await rm(each, { force: true });
          throw new CommandError(
            `the tarball is not what the registry says of ${name} ${version}: its SHA-512 is ${sha512}, expected ${integrity}; pull again, and if that does not help, ask the operator of the registry`,
          );
        }
      }
      // Those of other versions, which are in builds or not needed.
      for (const each of await readdir(folder))
        if (/\.tgz(\.json)?$/.test(each) && !path.join(folder, each).startsWith(tarball))
          await rm(path.join(folder, each));
      const target = path.join(folder, 'unpacked');
      await rm(target, { recursive: true, force: true });
      const inPackage = (file: string) => file.slice(file.indexOf('/') + 1);
      const files = await unpack(tarball, target, { wanted: (file) => wanted(inPackage(file)), maxBytes });
      return new Map([...files].map(([file, from]) => [inPackage(file), from]));
    };
    const lacks = (version: string, file: string, member: 'split' | 'parts') =>
      new CommandError(
        `${name} ${version} has no ${file}, which "${member}" in "source" names: upstream has another shape now; look at the package, and correct "${member}" in game.json`,
      );
    const readRows = async ({ file, at = '' }: NonNullable<RawSource['split']>) => {
      const from = (await unpackVersion(packument.latest, (each) => each === file)).get(file);
      const parsed = from === undefined ? undefined : parseJson(await readFile(from, 'utf8'), file);
      const rows = parsed && 'value' in parsed ? valueAtPointer(parsed.value, at) : undefined;
      if (rows === undefined) throw lacks(packument.latest, `${file} ${at}`.trimEnd(), 'split');
      return rows;
    };
    const { builds, problems, groups } = split
      ? splitVersion(packument, await readRows(split), split)
      : listVersions(packument, versions);
    builds.sort((a, b) => Date.parse(a.released_at) - Date.parse(b.released_at));
    for (const [order, each] of builds.entries()) each.order = order;

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
        const task = { from, file: `${name} ${version}: ${file}`, parts: ofFile, folder: target };
        const done = await runApart(task, `${task.file} cannot be divided`);
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
    const targets = Object.values(parts).flatMap(Object.entries);
    const grouped = targets.flatMap(([file, { each }]) => (each === undefined ? [] : matchPattern(file)));
    const none = 'no version of the package names a build: check "versions" of "source" in game.json';
    return {
      builds,
      problems,
      faults: builds.length + problems.length > 0 ? [] : [none],
      async filesOf({ released_at, package: { version } = { version: '' } }) {
        if (prepared?.version !== version) prepared = { version, files: prepare(version) };
        // A build has all files without a group, and those of the groups until then.
        const isOfBuild = (file: string) => {
          const at = groups?.get(path.posix.parse(file).name);
          return !groups || !grouped.some((isOf) => isOf(file)) || (at !== undefined && at <= released_at);
        };
        return new Map([...(await prepared.files)].filter(([file]) => isOfBuild(file)));
      },
    };
  };
  return await useCacheFolder(cache, `npm ${name}`, find, use);
}

/** Finds the builds in a table of versions. A newer version that it lacks is a problem: nothing else names its build. */
function listVersions(packument: Packument, versions: NonNullable<RawSource['versions']>) {
  const { name, latest } = packument;
  const [builds, problems]: [UpstreamBuild[], string[]] = [[], []];
  for (const [version, { build, released_at }] of Object.entries(versions)) {
    const date = readDate(released_at);
    const problem = packument.versions.has(version)
      ? findProblem(build, date === undefined)
      : `is in "versions" of "source", and the registry has no such version of ${name} with a SHA-512`;
    if (problem !== undefined) problems.push(`version ${version} ${problem}`);
    else builds.push(buildOf(packument, version, build, date ?? ''));
  }
  if (!Object.hasOwn(versions, latest))
    problems.push(
      `version ${latest}, the newest of ${name}: add the build that it is to "versions" of "source", as in "${latest}": {"build": "1.0", "released_at": "2026-01-31"}`,
    );
  return { builds, problems, groups: undefined };
}

/**
 * Splits the newest version into builds: one per date, with the groups of rows until then. The first group of a date names its build.
 *
 * @param rows with the dates of the groups, which are returned too
 */
function splitVersion(
  packument: Packument,
  rows: Json,
  { file, build, date }: NonNullable<RawSource['split']>,
) {
  const groups = new Map<string, string>();
  const builds = new Map<string, UpstreamBuild>();
  const problems: string[] = [];
  for (const row of Object.values(rows ?? {})) {
    const { [build]: group, [date]: day } = isObject(row) ? row : {};
    const at = typeof day === 'string' ? readDate(day) : undefined;
    const problem =
      typeof group === 'string' ? findProblem(group, at === undefined) : `has a row without "${build}"`;
    if (typeof group !== 'string' || at === undefined || problem !== undefined)
      problems.push(`${file} ${problem}`);
    else {
      const known = groups.get(group) ?? at;
      groups.set(group, known < at ? known : at);
      if (!builds.has(at)) builds.set(at, buildOf(packument, packument.latest, group, at));
    }
  }
  return { builds: [...builds.values()], problems, groups };
}

function buildOf({ name, versions }: Packument, version: string, build: string, released_at: string) {
  const integrity = versions.get(version) ?? '';
  const made = makeBuild(build, released_at, integrity, `${name} ${version}`);
  return { ...made, package: { npm: name, version, integrity } };
}

/**
 * Asks npm for this machine's registry of a package. Settings of folders are ignored: a repository of games must not choose the registry. A user of
 * a service may have no home.
 */
async function findRegistry(name: string): Promise<string> {
  const own = name.startsWith('@') ? `${name.split('/', 1)}:registry` : 'registry';
  const args = ['config', 'get', 'registry', own];
  const run = promisify(execFile)('npm', args, { cwd: path.resolve('/'), timeout: 60_000 });
  const { stdout } = await run.catch((error: Error) => {
    // npm does not print an address with a password.
    throw new CommandError(
      `npm does not say which registry it uses: ${error.message.trim()}; install npm, and set a registry without a user name and password (npm config set registry)`,
    );
  });
  const found = [...stdout.matchAll(/^\S*registry=(\S+)/gm)].map(([, address = '']) => address);
  return (found.findLast((each) => each !== 'undefined') ?? '').replace(/\/*$/, '/');
}

/** @throws CommandError if the text is no description of a package */
function readPackument(name: string, text: string): Packument {
  const parsed = parseJson(text, name);
  const { versions, 'dist-tags': tags } = 'value' in parsed && isObject(parsed.value) ? parsed.value : {};
  const found = new Map<string, string>();
  for (const [version, facts] of Object.entries(versions ?? {})) {
    const { integrity } = isObject(facts) && isObject(facts.dist) ? facts.dist : {};
    const [sha512] = /sha512-\S+/.exec(String(integrity)) ?? [];
    if (sha512 !== undefined) found.set(version, sha512);
  }
  const latest = isObject(tags) ? String(tags.latest) : '';
  if (found.has(latest)) return { name, latest, versions: found };
  throw new CommandError(`the registry has no newest version of ${name} with a SHA-512`);
}

/** Compares a package with the versions that builds were made from: a version never changes. */
function refuseChanged({ name, versions }: Packument, builds: readonly FoundBuild[]): void {
  for (const { build, package: origin } of builds) {
    if (origin?.npm !== name) continue;
    const now = versions.get(origin.version);
    if (now === undefined || now === origin.integrity) continue;
    throw new CommandError(
      `the registry has something else as ${name} ${origin.version} than build ${build} was made from: ${now}, and build.json has ${origin.integrity}. A version never changes: ask the operator of the registry which is right; nothing was added`,
    );
  }
}
