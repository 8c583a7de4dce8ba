import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ChangedShare, Finding } from '../../findings/findings.ts';
import { BUILD_NAME } from '../../format/dist-format.ts';
import { CommandError } from '../../lib/command-error.ts';
import { replaceFile, TEMPORARY_SUFFIX } from '../../lib/replace-file.ts';
import type { Override } from '../../read/game/definition.ts';
import { buildSchema } from '../../read/game/build-schema.ts';
import { parseJson } from '../../read/formats/json.ts';
import { compileSchema, findMismatches, type Validate } from '../../schemas/schema.ts';

/** The file in a game's folder that says which builds of upstream are held back. */
export const HELD_FILE = 'held.json';

/** What a check found to have changed in how much of a list. */
export type HeldChange = ChangedShare & { check: string };

/** What findings say of how much of a list changed. */
export function changesOf(findings: readonly Finding[]): HeldChange[] {
  return findings.flatMap(({ check, changed }) => (changed ? [{ check, ...changed }] : []));
}

/** A build of upstream that is not added. */
export interface HeldBuild {
  /** The commit that was checked; absent for a build that was skipped before. */
  commit?: string;
  /** When it was held back, ISO 8601 in UTC. */
  at?: string;
  /** The build that it was compared with; absent for a first one. */
  before?: string;
  /** The findings that hold it back, one line each. */
  errors?: string[];
  /** In how much of which list something changed. */
  changed?: HeldChange[];
  /** The checks and what they are about, each once. */
  questions?: string[];
  /** The held build that asks the same: to accept that one is enough. */
  same_as?: string;
  /** A hash of what the check depended on: it is only repeated when that has changed. */
  tried?: string;
  /** Whether it was reported to the operator. */
  reported?: boolean;
  /** What a maintainer writes to accept what the check found; as in build.json. */
  overrides?: Override[];
  /** True if a maintainer decided that it is never added. */
  skip?: boolean;
}

/** Makes what is known of a build from what was known; undefined forgets the build. */
export type ReviseHeld = (now: HeldBuild | undefined) => HeldBuild | undefined;

const leftover = new RegExp(`^held\\.json${TEMPORARY_SUFFIX}$`);

interface HeldFile {
  /** The builds that are in data/ only to be checked: one, or a list. */
  trying?: string | string[];
  builds: Record<string, HeldBuild>;
}

const text = { type: 'string' };
const number = { type: 'number' };
const heldChange = {
  type: 'object',
  required: ['check', 'attributes', 'count', 'all'],
  additionalProperties: false,
  properties: {
    check: text,
    attributes: { type: 'array', items: text },
    count: number,
    all: number,
    factor: number,
    value: { type: ['string', 'number', 'boolean'] },
  },
};
const validHeld = compileSchema<HeldFile>({
  type: 'object',
  required: ['builds'],
  additionalProperties: false,
  properties: {
    trying: {
      anyOf: [
        { type: 'string', pattern: BUILD_NAME },
        { type: 'array', items: { type: 'string', pattern: BUILD_NAME } },
      ],
      description: 'a build, or a list of builds',
    },
    builds: {
      type: 'object',
      propertyNames: { pattern: BUILD_NAME },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          commit: text,
          at: { type: 'string', format: 'instant' },
          before: text,
          errors: { type: 'array', items: text },
          changed: { type: 'array', items: heldChange },
          questions: { type: 'array', items: text },
          same_as: text,
          tried: text,
          reported: { type: 'boolean' },
          overrides: buildSchema.properties.overrides,
          skip: { type: 'boolean' },
        },
      },
    },
  },
});

/** Which builds of a game are held back; kept in its held.json, which maintainers edit too. */
export class HeldBuilds {
  readonly #folder: string;
  #content: HeldFile;

  private constructor(folder: string, content: HeldFile) {
    this.#folder = folder;
    this.#content = content;
  }

  /** Reads the held.json of a game's folder. @throws CommandError if it is not valid */
  static async read(folder: string): Promise<HeldBuilds> {
    const file = path.posix.join(folder, HELD_FILE);
    const written = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (written === undefined) return new HeldBuilds(folder, { builds: {} });
    const parsed = parseJson(written, file);
    if (!('value' in parsed)) throw new CommandError(`${file} is not JSON: correct it, or delete it`);
    if (validHeld(parsed.value)) return new HeldBuilds(folder, parsed.value);
    throw new CommandError(`${file} ${describeMismatch(validHeld, parsed.value)}: correct it, or delete it`);
  }

  /** All held builds, by name. */
  get builds(): readonly (readonly [string, HeldBuild])[] {
    return Object.entries(this.#content.builds);
  }

  /** The builds that were being checked when the process was killed, oldest first. */
  get trying(): readonly string[] {
    const { trying = [] } = this.#content;
    return typeof trying === 'string' ? [trying] : trying;
  }

  find(build: string): HeldBuild | undefined {
    return Object.hasOwn(this.#content.builds, build) ? this.#content.builds[build] : undefined;
  }

  /** Notes that builds are in data/ only to be checked. */
  async beginTrying(...builds: [string, ...string[]]): Promise<void> {
    await this.#change((content) => {
      content.trying = builds.length > 1 ? builds : builds[0];
    });
  }

  /** Notes the end of the check. @param revise what `revise` takes; without it, what is known of the builds stays */
  async endTrying(builds: string | readonly string[], revise: ReviseHeld = (now) => now): Promise<void> {
    await this.#change((content) => {
      delete content.trying;
      for (const build of [builds].flat()) put(content, build, revise);
    });
  }

  /**
   * Changes what is known of a build.
   *
   * @param revise gets what the file says now, which may be newer than what `find` returned: what a maintainer wrote into it has to stay
   */
  async revise(build: string, revise: ReviseHeld): Promise<void> {
    await this.#change((content) => put(content, build, revise));
  }

  /** Removes what a killed process was writing. */
  async removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (leftover.test(name)) await rm(path.join(this.#folder, name), { force: true });
    }
  }

  /** Changes the file as it is now: a maintainer may have edited it since it was read. */
  async #change(change: (content: HeldFile) => void): Promise<void> {
    this.#content = (await HeldBuilds.read(this.#folder)).#content;
    change(this.#content);
    const file = path.posix.join(this.#folder, HELD_FILE);
    if (this.#content.trying === undefined && this.builds.length === 0) await rm(file, { force: true });
    else await replaceFile(file, Buffer.from(`${JSON.stringify(this.#content, null, 2)}\n`));
  }
}

/**
 * Forgets held builds that upstream does not have any more. One that a maintainer accepted stays.
 *
 * @returns what to say about each, in lines
 */
export async function forgetGone(
  slug: string,
  { builds }: { builds: readonly { build: string }[] },
  held: HeldBuilds,
): Promise<string> {
  const isGone = (name: string) => !builds.some(({ build }) => build === name);
  const gone = held.builds.filter(([build, { skip }]) => !skip && isGone(build));
  const lines: string[] = [];
  for (const [build, { overrides }] of gone) {
    if (overrides) {
      lines.push(
        `${slug}: warning: "overrides" of build ${build} in ${HELD_FILE} have no effect, as upstream does not have this build any more: remove it there\n`,
      );
      continue;
    }
    await held.revise(build, () => undefined);
    lines.push(`${slug}: build ${build}, which was held back, is not upstream any more\n`);
  }
  return lines.join('');
}

function put({ builds }: HeldFile, build: string, revise: ReviseHeld): void {
  const held = revise(Object.hasOwn(builds, build) ? builds[build] : undefined);
  if (held) builds[build] = held;
  else delete builds[build];
}

/** Changes with the members of held builds: what an earlier version held back is checked again, which adds `changed`. */
const HELD_FORMAT = 2;

/**
 * Hashes what the check of a build depends on: its content upstream, what a maintainer accepted, the build before it, and all files of the game
 * that are not in a build.
 *
 * @param builds the names of the builds that the game has, oldest first
 */
export async function hashTrial(
  folder: string,
  builds: readonly string[],
  { commit, overrides }: Pick<HeldBuild, 'commit' | 'overrides'>,
): Promise<string> {
  const of = [HELD_FORMAT, commit, overrides ?? [], builds.at(-1) ?? null];
  const hash = createHash('sha256').update(JSON.stringify(of));
  for (const file of await listOwnFiles(folder, builds)) {
    hash.update(`\0${file}\0`).update(await readFile(path.join(folder, file)).catch(() => ''));
  }
  return hash.digest('hex');
}

const WRITTEN_BY_COMMANDS = new Set([HELD_FILE, 'builds.lock.json']);

async function listOwnFiles(folder: string, builds: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter(
    ({ name }) => !name.startsWith('.') && !builds.includes(name) && !WRITTEN_BY_COMMANDS.has(name),
  );
  const ownFiles: string[] = [];
  for (const entry of folders) {
    if (entry.isFile()) ownFiles.push(entry.name);
    if (!entry.isDirectory()) continue;
    const below = await readdir(path.join(folder, entry.name), { recursive: true, withFileTypes: true });
    const files = below.filter((file) => file.isFile());
    ownFiles.push(...files.map((file) => path.relative(folder, path.join(file.parentPath, file.name))));
  }
  return ownFiles.sort();
}

/** Describes the first mismatch of a value that does not match a schema: `/builds: 1; expected an object`. */
export function describeMismatch(validate: Validate, value: unknown): string {
  const [first] = findMismatches(validate, value);
  return first ? `${first.pointer}: ${first.found}; expected ${first.expected}` : 'it has another form';
}
