import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { locateFindings } from '../../scripts/check/report.ts';
import { compileGame } from '../../scripts/compile/game.ts';
import type { GamePlan } from '../../scripts/dist/plan.ts';
import type { Finding } from '../../scripts/findings.ts';
import type { Json, JsonObject, Manifest, Snapshot } from '../../scripts/format/dist-format.ts';
import { atEnd } from './at-end.ts';

/** Files by path. Texts and bytes are written unchanged, other values as JSON; undefined means that the file does not exist. */
export type Files = Record<string, Json | Buffer | undefined>;

/** The files that `gameFiles` changes: a title, one build with the dataset that every game must have, and one character. */
const SMALLEST: Files = {
  'game.json': { title: 'Game' },
  '1.0/build.json': { released_at: '2026-01-01' },
  '1.0/pull_planner.json': { currency: { name: 'Gem', per_pull: 160 } },
  '1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
};

/** A small game folder that compiles without findings, after some files are replaced, added or (undefined) removed. */
export function gameFiles(changes: Files = {}): Files {
  return { ...SMALLEST, ...changes };
}

/** The same files, in a folder. */
export function inFolder(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([file, content]) => [`${folder}/${file}`, content]));
}

/** Writes files into a folder, and makes the folders that they are in. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    if (content === undefined) continue;
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    const asIs = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(target, asIs ? content : JSON.stringify(content, null, 1));
  }
}

/** Makes a temporary folder, which is removed after the last test of the file. */
export async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `${name}-`));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Calls `use` with a new temporary folder that holds the files, and removes the folder afterwards. */
export async function withFolder<T>(files: Files, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-'));
  try {
    await writeFiles(folder, files);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A build of dist/, parsed. */
export interface ParsedBuild {
  build: string;
  released_at: string;
  note: string | null;
  roster: JsonObject[];
  characters: JsonObject[];
  datasets: Record<string, Json>;
}

/** Parses the builds that a plan would write. */
export function parsePlan({ manifest, files }: GamePlan): ParsedBuild[] {
  const read = (file: string) => JSON.parse(String(files.get(file)));
  const unpack = (file: string) => JSON.parse(String(gunzipSync(files.get(file) ?? '')));
  const { builds } = read(manifest.file) as Manifest;
  return builds.map(({ build, released_at, note, roster, characters, snapshot }) => {
    const { characters: records, datasets } = unpack(snapshot.gzip.file) as Snapshot;
    // Past builds have their roster as gzip only.
    const own = () => (files.has(roster.file) ? read(roster.file) : unpack(roster.gzip?.file ?? ''));
    const entries = roster.file === characters.file ? records : own();
    return { build, released_at, note, roster: entries, characters: records, datasets };
  });
}

/** A compiled game folder: its builds, oldest first, and its findings with lines and paths inside the folder. */
export interface CompiledFixture {
  builds: ParsedBuild[];
  findings: Finding[];
}

/** Writes a game folder, compiles it and removes it. */
export async function compileFiles(files: Files, slug = 'game'): Promise<CompiledFixture> {
  return await withFolder(files, async (folder) => {
    const { value, findings } = await compileGame(folder, slug);
    const located = await locateFindings(findings);
    return {
      builds: value ? parsePlan(value) : [],
      findings: located.map((finding) => JSON.parse(JSON.stringify(finding).replaceAll(`${folder}/`, ''))),
    };
  });
}

/** Each finding as `<check> <file>:<line> <pointer>`. */
export function placesOf(findings: readonly Finding[]): string[] {
  return findings.map(({ check, place }) =>
    `${check} ${place.file}:${place.line} ${place.pointer}`.trimEnd(),
  );
}
