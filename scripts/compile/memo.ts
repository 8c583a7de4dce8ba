// What earlier runs of the compiler leave for the next one, so that only changed builds are compiled.
// `openMemo`: the result of each build under a key, which is the SHA-256 of everything that the result depends on: the files of the build, the
// definition, the previous build's entry, the state of checks and corrections, and the code. A result is used only if dist/ has all of its files with
// their sizes.
// `markRun`: if no input and no output has changed since the last run, nothing is done at all.
// Guarantees: deleting the cache costs only time; a result is never used for other content. If a file changes during a run, no new result of that run
// is stored.
import { createHash, hash } from 'node:crypto';
import { type BigIntStats, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CorrectedSoFar } from '../corrections/apply.ts';
import type { Finding } from '../findings.ts';
import { type BuildEntry, type FileRef, filesOf, LOCK_FILE, ownValue } from '../format/dist-format.ts';
import type { GameDefinition } from '../read/definition.ts';
import type { BuildFiles } from '../read/tables.ts';
import { makePrivateFolder, once, replacePrivateFile } from '../system.ts';

/** The packages that affect the result of a compilation. */
const LIBRARIES =
  '@photostructure/sqlite ajv csv-parse entities fast-glob fastest-levenshtein hyparquet-writer jsonata jsonc-parser micromatch re2js yaml'.split(
    ' ',
  );

const CODE = path.join(import.meta.dirname, '..');

/**
 * Hashes everything except data that a compiled build depends on: the compiler's code, and the versions of Node and the libraries. Computed once,
 * because a process keeps the code that it has loaded.
 */
const hashCode = once(async () => {
  const code = createHash('sha256').update(process.version);
  const ownFiles = readdirSync(CODE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[jt]s$/.test(file),
  );
  for (const file of ownFiles.sort()) code.update(file).update(await readFile(path.join(CODE, file)));
  for (const module of LIBRARIES.map(modulePath)) code.update(module).update(await readVersion(module));
  return code.digest('hex');
});

function modulePath(name: string): string {
  return fileURLToPath(import.meta.resolve(name));
}

/** The version of the package that contains a module. */
async function readVersion(module: string): Promise<string> {
  for (let folder = path.dirname(module); ; folder = path.dirname(folder)) {
    const { version } = (await readJson<{ version: string }>(path.join(folder, 'package.json'))) ?? {};
    if (version !== undefined || folder === path.dirname(folder)) return version ?? '';
  }
}

/** Reads JSON that an earlier run wrote; undefined if that fails. */
async function readJson<T>(file: string): Promise<Partial<T> | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Writes a file of the cache. If that fails, only time is lost. */
async function writeCache(file: string, content: object): Promise<void> {
  await makePrivateFolder(path.dirname(file))
    .then(() => replacePrivateFile(file, Buffer.from(JSON.stringify(content))))
    .catch(() => {});
}

/** If a file was written less than this before it was marked, a second write could leave its time stamp unchanged. */
export const MIN_SETTLED_MS = 2000;

/** @returns undefined if the file does not exist. Synchronous, because a dump has thousands of files. */
function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}

/** A file's size, times and inode as text, which changes with every write. */
function markOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join();
}

/**
 * Reads the marks of a folder and everything below it.
 *
 * @param leaveOut paths that are ignored
 * @returns the names and marks (`markOf`) as one text without the folder's path, and the time of the last write, in ms since 1970; undefined if something cannot be read, or is neither file nor folder: a link may lead anywhere
 */
export function markFolder(folder: string, leaveOut: ReadonlySet<string> = new Set()) {
  const lines: string[] = [];
  let newest = 0;
  const walk = (below: string): boolean => {
    const entries = readdirSync(below, { withFileTypes: true });
    return entries.every((entry) => {
      const full = path.join(below, entry.name);
      if (leaveOut.has(full)) return true;
      const name = full.slice(folder.length);
      if (entry.isDirectory()) {
        lines.push(name);
        return walk(full);
      }
      if (!entry.isFile()) return false;
      const stats = lstatSync(full, { bigint: true });
      newest = Math.max(newest, Number(stats.mtimeMs), Number(stats.ctimeMs));
      lines.push(`${name}\0${markOf(stats)}`);
      return true;
    });
  };
  try {
    return walk(folder) ? { text: lines.sort().join('\0\0'), newest } : undefined;
  } catch {
    return undefined;
  }
}

/** The folders with the results of earlier runs. */
export interface ReuseFolders {
  /** The folder with compiled files, dist/. */
  out: string;
  /** The cache folder, which may be deleted at any time. */
  cache: string;
}

/** The state that is passed from build to build: of checks, and of upstream values that corrections replace. */
export interface Remembrance {
  /** JSON; undefined if there are no checks. */
  seen: unknown;
  corrected: CorrectedSoFar;
}

/** The result of compiling a build: its entry in the manifest, the state after it, and its warnings with their lines. */
export interface Remembered extends Remembrance {
  entry: BuildEntry;
  findings: Finding[];
}

/** A run of `gamedata build`: the games, and its folders. */
export interface Run {
  data: string;
  out: string;
  cache: string;
  slugs: readonly string[];
  /** Whether other games stay in the index. */
  keepOthers: boolean;
  /** The formats besides JSON, and for how many builds. */
  formats: readonly string[];
}

/** The output of a run: its warnings, and how much it built. */
export interface Printed {
  warnings: string;
  totals: string;
}

interface CacheFile {
  code: string;
  builds: Record<string, Remembered>;
}

/**
 * Opens the stored results of compiling the builds of a game. The head of this file describes it.
 *
 * @param folder the game's folder
 * @param trust whether stored results may be used
 */
export async function openMemo({ out, cache }: ReuseFolders, folder: string, slug: string, trust: boolean) {
  const file = path.join(cache, `${slug}.${sha256(path.resolve(folder)).slice(0, 8)}.json`);
  const code = await hashCode();
  const cached: Partial<CacheFile> = (trust && (await readJson<CacheFile>(file))) || {};
  const known = (cached.code === code && cached.builds) || {};
  const used: Record<string, Remembered> = Object.create(null);
  const added: Record<string, Remembered> = Object.create(null);
  /** The hash of each file, and its mark (`markOf`) when it was hashed. */
  const hashes = new Map<string, { sha256: string; mark: string }>();
  /** The text of each definition and the schemas of the game, which most builds share. */
  const described = new Map<GameDefinition, string>();

  /** @returns the SHA-256 in hexadecimal; undefined if it cannot be read as a file */
  const hashOf = (file: string): string | undefined => {
    const stats = hashes.has(file) ? undefined : statOf(file);
    if (!stats?.isFile()) return hashes.get(file)?.sha256;
    try {
      hashes.set(file, { sha256: hash('sha256', readFileSync(file)), mark: markOf(stats) });
    } catch {
      return undefined;
    }
    return hashes.get(file)?.sha256;
  };
  const isThere = ({ file, bytes }: FileRef) => Number(statOf(path.join(out, file))?.size) === bytes;
  return {
    /**
     * Hashes everything that the result of a build depends on.
     *
     * @param before the entry of the previous build: checks and the diff depend on its content
     * @param state after all earlier builds
     */
    keyOf(
      title: string,
      { source, overlays }: BuildFiles,
      before: BuildEntry | undefined,
      state: Remembrance,
    ): string {
      const content = before && [before.build, before.released_at, before.characters, before.datasets];
      const { definition, schemas, ...own } = source;
      const texts = () => JSON.stringify([definition, [...schemas].map(([key, { text }]) => [key, text])]);
      described.set(definition, described.get(definition) ?? texts());
      const result = createHash('sha256').update(described.get(definition) ?? '');
      result.update(JSON.stringify([title, own, content ?? null, state]));
      for (const [pattern, overlay] of overlays) {
        const hashed = [...overlay].map(([file, full]) => [file, full, hashOf(full) ?? null]);
        result.update(JSON.stringify([pattern, hashed]));
      }
      return result.digest('hex');
    },

    /** @param isNewest whether the build is the newest of its game; only that one has files for all of its lists */
    find(key: string, isNewest: boolean): Remembered | undefined {
      const kept = ownValue(known, key);
      if (kept === undefined) return undefined;
      // An entry stored for the newest build also names files for its lists, which an older build does not need.
      const asPast: BuildEntry = { ...kept.entry, in_snapshot: true };
      const entries = [kept.entry, ...(isNewest ? [] : [asPast])];
      const entry = entries.find((each) => filesOf(each).every(isThere));
      if (entry) used[key] = kept;
      return entry && { ...kept, entry };
    },

    remember(key: string, remembered: Remembered): void {
      added[key] = remembered;
    },

    /** Stores the results that were found or added, and drops all others. */
    async save(): Promise<void> {
      // If a file was edited during the run, it is unknown which content the results belong to.
      const isSteady = [...hashes].every(([file, { mark }]) => markOfFile(file) === mark);
      await writeCache(file, { code, builds: isSteady ? { ...used, ...added } : used });
    },
  };
}

/**
 * Detects that a run has nothing to do: its inputs and the files of dist/ have the same marks as after the last run. Otherwise, the memo finds the
 * affected builds.
 *
 * @param now ms since 1970
 */
export function markRun({ data, out, cache, slugs, keepOthers, formats }: Run, now: number) {
  const place = sha256([path.resolve(data), path.resolve(out)]).slice(0, 8);
  const file = path.join(cache, `last-run.${place}.json`);
  const locks = slugs.map((slug) => path.join(data, slug, 'builds.lock.json'));
  /** A hash of the marks of all inputs, and the time of the last write to one. */
  const readInputs = (): { hash: string; newest: number } | undefined => {
    const games = slugs.map((slug) => markFolder(path.join(data, slug), new Set(locks)));
    const code = markFolder(CODE);
    const libraries = LIBRARIES.map((name) => markOfFile(modulePath(name)));
    if (code === undefined || games.includes(undefined)) return undefined;
    const texts = games.map((marks) => marks?.text);
    return {
      hash: sha256([process.version, data, keepOthers, formats, code.text, libraries, slugs, texts]),
      newest: Math.max(...games.map((marks) => marks?.newest ?? 0)),
    };
  };
  const inputs = readInputs();
  /** The marks of the inputs and outputs of the run. */
  const readAll = (): string | undefined => {
    const dist = markFolder(out, new Set([path.join(out, LOCK_FILE)]));
    return inputs && dist && sha256([inputs.hash, locks.map(markOfFile), dist.text]);
  };
  return {
    async find(): Promise<Printed | undefined> {
      const { marks, printed } = (await readJson<{ marks: string; printed: Printed }>(file)) ?? {};
      return marks !== undefined && marks === readAll() ? printed : undefined;
    },

    async remember(printed: Printed): Promise<void> {
      // An input that was written just before the run could be written again with the same time stamp.
      if (inputs === undefined || now - inputs.newest <= MIN_SETTLED_MS) return;
      if (readInputs()?.hash !== inputs.hash) return;
      const marks = readAll();
      if (marks !== undefined) await writeCache(file, { marks, printed });
    },
  };
}

function markOfFile(file: string): string | null {
  const stats = statOf(file);
  return stats ? markOf(stats) : null;
}

function sha256(value: unknown): string {
  return hash('sha256', JSON.stringify(value));
}
