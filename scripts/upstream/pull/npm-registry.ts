import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { isObject, type Json } from '../../format/dist-format.ts';
import { CommandError } from '../../system.ts';
import type { PackageOrigin } from '../../read/game.ts';
import { type Connection, connectTo } from './address.ts';
import { fetchFile } from './fetch-file.ts';

/** The setting that names the registry of a package. */
export type FindRegistry = (name: string) => Promise<string>;

/** What a registry says about a package. */
export interface Packument {
  /** The registry, with "/" at its end. */
  registry: string;
  name: string;
  /** The newest version, as the tag `latest` names it. */
  latest: string | undefined;
  /** The versions that can be fetched: where, and their SHA-512 as `sha512-…`. */
  versions: ReadonlyMap<string, { tarball: string; integrity: string }>;
}

const MAX_PACKUMENT_BYTES = 64 * 1024 * 1024;
/** The host that other registries write into the addresses of tarballs that they copied from it. */
const PUBLIC_REGISTRY = 'https://registry.npmjs.org/';

/**
 * Asks npm which registry this machine uses. Settings of folders are not read: what is in a repository of games must not choose it.
 *
 * @throws CommandError if npm cannot be run
 */
export const findRegistry: FindRegistry = async (name) => {
  const [scope] = /^@[^/]+/.exec(name) ?? [];
  const scoped = scope && (await askNpm(`${scope}:registry`));
  const registry = scoped ?? (await askNpm('registry'));
  if (registry === undefined || !/^https?:\/\//.test(registry) || !URL.canParse(registry))
    throw new CommandError(
      `npm has no registry: "npm config get registry" prints ${registry ?? 'nothing'}; set one with npm config set registry`,
    );
  const { username, password } = new URL(registry);
  if (`${username}${password}` !== '') throw withPassword();
  return registry;
};

function withPassword(): CommandError {
  return new CommandError(
    'the registry that npm uses has a user name or a password in its address, and gamedata sends none: set it without them (npm config set registry)',
  );
}

async function askNpm(setting: string): Promise<string | undefined> {
  const run = promisify(execFile)('npm', ['config', 'get', setting], { cwd: homedir(), timeout: 60_000 });
  const { stdout } = await run.catch((error: Error) => {
    // npm prints no address that has a password.
    if (error.message.includes('is protected')) throw withPassword();
    throw new CommandError(`npm cannot be run, which knows the registry: ${error.message}; install npm`);
  });
  const text = stdout.trim();
  return text === '' || text === 'undefined' || text === 'null' ? undefined : text;
}

/**
 * Fetches what the registry says about a package. No token is sent.
 *
 * @param folder where the response is kept
 * @throws CommandError if the registry does not know the package
 */
export async function fetchPackument(
  name: string,
  folder: string,
  now: string,
  find: FindRegistry,
  maxMs?: number,
): Promise<Packument> {
  const registry = (await find(name)).replace(/\/*$/, '/');
  const target = path.join(folder, 'package.json');
  const connection = trusted(new URL(name.replace('/', '%2f'), registry).href);
  await fetchFile(connection, target, undefined, {
    ...{ now, maxBytes: MAX_PACKUMENT_BYTES },
    ...(maxMs !== undefined && { maxMs }),
  });
  const packument = parsePackument(await readFile(target, 'utf8'));
  if (packument === undefined)
    throw new CommandError(`${registry} responds to ${name} with something that is no package`);
  return { registry, name, ...packument };
}

/** The registry is a setting of the machine: it may be in a private network. */
function trusted(address: string): Connection {
  return { address, protocols: '', settings: [], addresses: undefined };
}

function parsePackument(text: string): Pick<Packument, 'latest' | 'versions'> | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  const versions = isObject(value) ? value.versions : undefined;
  if (!isObject(value) || !isObject(versions)) return undefined;
  const tags = value['dist-tags'];
  const latest = isObject(tags) && typeof tags.latest === 'string' ? tags.latest : undefined;
  const releases = Object.entries(versions).flatMap(([version, facts]) => {
    const dist = isObject(facts) ? facts.dist : undefined;
    if (!isObject(dist) || typeof dist.tarball !== 'string' || typeof dist.integrity !== 'string') return [];
    const integrity = dist.integrity.split(/\s+/).find((each) => each.startsWith('sha512-'));
    return integrity === undefined ? [] : [[version, { tarball: dist.tarball, integrity }] as const];
  });
  return { latest, versions: new Map(releases) };
}

/**
 * Fetches the tarball of a version, unless it was fetched before.
 *
 * @returns its path
 * @throws CommandError if it cannot be fetched, or has another SHA-512 than the registry says
 */
export async function fetchTarball(
  { registry, name, versions }: Packument,
  version: string,
  folder: string,
  now: string,
  limits: { read: number; maxMs: number },
): Promise<string> {
  const { tarball, integrity } = versions.get(version) ?? { tarball: '', integrity: '' };
  const target = path.join(folder, `${createHash('sha256').update(integrity).digest('hex')}.tgz`);
  if ((await sha512Of(target)) === integrity) return target;
  const address = tarball.startsWith(PUBLIC_REGISTRY)
    ? `${registry}${tarball.slice(PUBLIC_REGISTRY.length)}`
    : tarball;
  if (!URL.canParse(address))
    throw new CommandError(
      `${registry} names no address of ${name} ${version}, but ${JSON.stringify(address.slice(0, 100))}: expected https://…; ask the operator of the registry`,
    );
  const isOwn = new URL(address).origin === new URL(registry).origin;
  await fetchFile(isOwn ? trusted(address) : await connectTo(address, false), target, undefined, {
    ...{ now, maxBytes: limits.read, maxMs: limits.maxMs },
  });
  const sha512 = await sha512Of(target);
  if (sha512 === integrity) return target;
  throw new CommandError(
    `${address} is not what the registry says of ${name} ${version}: its SHA-512 is ${sha512}, expected ${integrity}; pull again, and if that does not help, ask the operator of the registry`,
  );
}

async function sha512Of(file: string): Promise<string | undefined> {
  const hash = createHash('sha512');
  const read = await pipeline(createReadStream(file), hash).catch((error: NodeJS.ErrnoException) => error);
  if (read?.code === 'ENOENT') return undefined;
  if (read !== undefined) throw read;
  return `sha512-${hash.digest('base64')}`;
}

/**
 * Compares a package with what builds were made from: a version never changes.
 *
 * @throws CommandError if the registry has something else as a version that a build was made from
 */
export function refuseChanged(
  { registry, name, versions }: Packument,
  builds: readonly { build: string; package?: PackageOrigin | undefined }[],
): void {
  for (const { build, package: origin } of builds) {
    if (origin?.npm !== name) continue;
    const now = versions.get(origin.version)?.integrity;
    if (now === undefined || now === origin.integrity) continue;
    throw new CommandError(
      `${registry} has something else as ${name} ${origin.version} than build ${build} was made from: ${now}, and build.json has ${origin.integrity}. A version never changes: ask the operator of the registry which is right; nothing was added`,
    );
  }
}
