import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { lockFileOf } from '../../check/recorded.ts';
import type { ChangedShare, Finding } from '../../findings.ts';
import { BUILD_NAME } from '../../format/dist-format.ts';
import { boolean, list, map, object, type Schema, type Static, text } from '../../format/json-schema.ts';
import { overrides } from '../../read/game-schema.ts';
import { parseJson } from '../../read/json.ts';
import { compileSchema, findMismatches } from '../../read/schema.ts';
import { CommandError, replaceFile } from '../../system.ts';

/**
 * The state of a game's upstream: one file in the game's folder, which maintainers edit too. A build of upstream is new, held (with its questions),
 * served, or withdrawn (`skip`); served builds are not in the file.
 */
export const HELD_FILE = 'held.json';

/** How much of a list changed, according to a check. */
export type HeldChange = ChangedShare & { check: string };

/** Datasets that keep their content of the previous build, with the checks that hold them back, as in build.json. */
export type Carried = Record<string, string>;

const texts = list(text());
const buildName = text({ pattern: BUILD_NAME });
const at = text({ format: 'instant' });
const changed = list({
  type: 'object',
  required: ['check', 'attributes', 'count', 'all'],
} as Schema<HeldChange>);
const heldBuild = object(
  {},
  {
    // The checked commit, the time of the check, and the build that it was compared with; absent for a first one.
    ...{ commit: text(), at, before: text() },
    // The reasons, one line each, and how much of which list changed.
    ...{ errors: texts, changed },
    // The checks and their subjects, without repeats and without those that the build could carry.
    questions: texts,
    // A hash of what the check depended on: it is repeated only if that has changed.
    tried: text(),
    // A maintainer accepts the findings, takes the build in spite of its odd date, or decides that it is never served.
    ...{ overrides, take: boolean(), skip: boolean() },
  },
);
/** A build of upstream that is not served. */
export type HeldBuild = Static<typeof heldBuild>;

const carriedQuestion = object({ at, builds: texts }, { changed });
/** A question about carried datasets: since when, and in which builds. */
export type CarriedQuestion = Static<typeof carriedQuestion>;
/** The datasets that the newest build carries, by the question that holds each back. */
export type CarriedQuestions = Record<string, Record<string, CarriedQuestion>>;

const state = object(
  { builds: map(heldBuild, { propertyNames: { pattern: BUILD_NAME } }) },
  {
    // The builds that are in data/ only to be checked.
    trying: list(buildName),
    carried: map(map(carriedQuestion)),
    // The last compared upstream commit of each served build.
    seen: map(text()),
  },
);
export type State = Static<typeof state>;
const validState = compileSchema(state);

/** The state of a game, stored in its held.json. */
export class GameState {
  readonly #folder: string;
  content: State;

  private constructor(folder: string, content: State) {
    this.#folder = folder;
    this.content = content;
  }

  /** @throws CommandError if the file is not valid */
  static async read(folder: string): Promise<GameState> {
    const file = path.posix.join(folder, HELD_FILE);
    const written = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"builds": {}}';
      throw error;
    });
    const parsed = parseJson(written, file);
    if (!('value' in parsed)) throw new CommandError(`${file} is not JSON: correct it, or delete it`);
    if (validState(parsed.value)) return new GameState(folder, parsed.value);
    const [first] = findMismatches(validState, parsed.value);
    throw new CommandError(
      `${file} ${first?.pointer}: ${first?.found}; expected ${first?.expected}: correct it, or delete it`,
    );
  }

  /** The builds that are not served, by name. */
  get builds(): readonly (readonly [string, HeldBuild])[] {
    return Object.entries(this.content.builds);
  }

  find(build: string): HeldBuild | undefined {
    return Object.hasOwn(this.content.builds, build) ? this.content.builds[build] : undefined;
  }

  /** Changes the current file, which a maintainer may have edited since it was read. Writes nothing if nothing changes. */
  async change(change: (content: State) => void): Promise<void> {
    const { content } = await GameState.read(this.#folder);
    const before = JSON.stringify(content);
    change(content);
    this.content = content;
    for (const member of ['carried', 'seen', 'trying'] as const)
      if (Object.keys(content[member] ?? {}).length === 0) delete content[member];
    if (JSON.stringify(content) === before) return;
    const file = path.posix.join(this.#folder, HELD_FILE);
    const isEmpty = Object.keys(content).length === 1 && this.builds.length === 0;
    if (isEmpty) await rm(file, { force: true });
    else await replaceFile(file, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
  }

  /** Records the commit of a build as the served one. */
  async see(build: string, commit: string): Promise<void> {
    await this.change((content) => {
      content.seen = { ...content.seen, [build]: commit };
    });
  }
}

/** The question of a finding: a check and its subject. A finding that recurs in the next build has the same question. */
export function questionOf({ check, of = '' }: Pick<Finding, 'check' | 'of'>): string {
  return `${check} ${of}`.trimEnd();
}

/** The questions of findings, without repeats. */
export function questionsOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(questionOf))];
}

/** How much of lists changed, according to findings. */
export function changesOf(findings: readonly Finding[]): HeldChange[] {
  return findings.flatMap(({ check, changed: share }) => (share ? [{ check, ...share }] : []));
}

/** More records of a list are not a slip: then the dataset is carried as a whole, or the build is held back. */
const MAX_RECORDS = 5;

/**
 * Returns what a build can carry from the previous build, if that is enough. @param findings that hold the build back @param known what it already
 * carries
 */
export function findCarried(findings: readonly Finding[], build: string, known: Carried = {}): Carried {
  const carried: Carried = { ...known };
  for (const { carry = [], check, build: of } of findings)
    for (const key of of === undefined || of === build ? carry : [])
      carried[key] = [...new Set([...(carried[key]?.split(', ') ?? []), check])].join(', ');
  for (const [key, checks] of Object.entries(carried)) {
    const list = key.split('/', 1).join('');
    const count = Object.keys(carried).filter((each) => each.startsWith(`${list}/`)).length;
    if (key === list || (count <= MAX_RECORDS && carried[list] === undefined)) continue;
    delete carried[key];
    if (list !== 'characters') carried[list] ??= checks;
  }
  return carried;
}

/** Increase it when the meaning of held.json changes: builds that an earlier version held back are checked again. */
const FORMAT = 4;

/**
 * Hashes what the check of a build depends on: its upstream content, what a maintainer accepted, the previous build, and all files of the game
 * outside builds.
 *
 * @param builds the names of the game's builds, oldest first
 */
export async function hashTrial(
  folder: string,
  builds: readonly string[],
  { commit, overrides: accepted }: Pick<HeldBuild, 'commit' | 'overrides'>,
): Promise<string> {
  const of = [FORMAT, commit, accepted ?? [], builds.at(-1) ?? null];
  const hash = createHash('sha256').update(JSON.stringify(of));
  const left = new Set([...builds, HELD_FILE, lockFileOf('')]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((file) => path.relative(folder, path.join(file.parentPath, file.name)));
  for (const file of paths.sort()) {
    const [top = ''] = file.split(path.sep);
    if (top.startsWith('.') || left.has(top)) continue;
    hash.update(`\0${file}\0`).update(await readFile(path.join(folder, file)).catch(() => ''));
  }
  return hash.digest('hex');
}
