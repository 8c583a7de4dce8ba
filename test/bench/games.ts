import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type BuildEntry,
  type CompressedRef,
  type FileRef,
  INDEX_FILE,
  type Index,
  type JsonObject,
  type Manifest,
  type Snapshot,
} from '../../scripts/format/dist-format.ts';
import { startCommand } from '../support/command.ts';
import { createRandom } from '../support/create-random.ts';
import { type Files, inFolder, writeFiles } from '../support/fixtures.ts';
import { DATA, ROOT } from '../support/paths.ts';

/** How much data to generate. */
export interface GamesSize {
  games: number;
  characters: number;
  /** In how many languages the characters of the first game have names; by default in those of the shipped game, 15. */
  languages?: number;
}

/** Where the bench writes its files; not in git. */
export const BENCH_FOLDER = path.join(ROOT, 'var/bench');

const SEED = 20_260_601;
/** The shipped game from which the first game is made: it has attributes, stats, and names in many languages. */
const FIRST = 'genshin-impact';

/**
 * Generates realistic games from the shipped ones, and compiles them once. The same size gives the same games on any machine.
 *
 * @returns the dist folder
 */
export function buildGames(size: GamesSize): Promise<string> {
  const { games, characters, languages } = size;
  const further = languages === undefined ? '' : `-${languages}-languages`;
  const folder = path.join(BENCH_FOLDER, `${games}x${characters}${further}`);
  const building = built.get(folder) ?? makeGames(folder, size);
  built.set(folder, building);
  return building;
}

const built = new Map<string, Promise<string>>();

async function makeGames(folder: string, size: GamesSize): Promise<string> {
  const templates = size.games === 1 ? await readShippedGames([FIRST]) : await readShippedGames();
  const data = path.join(folder, 'data');
  // Games of an earlier run may be made from other data; what dist/ holds of them may not change any more.
  for (const old of [data, path.join(folder, 'dist')]) await rm(old, { recursive: true, force: true });
  for (let game = 0; game < size.games; game++) {
    const template = templates[game % templates.length] as Snapshot;
    await writeFiles(data, inFolder(slugOf(game), makeGame(template, { ...size, seed: SEED + game })));
  }
  return await build(folder);
}

/** The slug of the game at a position. */
export function slugOf(game: number): string {
  return `game-${game}`;
}

/** The newest released build of a game in a dist folder. */
export async function readNewestBuild(dist: string, slug: string): Promise<BuildEntry> {
  const manifests = await readManifests(dist);
  const { builds } = manifests.find((manifest) => manifest.slug === slug) as Manifest;
  return builds.findLast(({ released_at }) => Date.parse(released_at) <= Date.now()) as BuildEntry;
}

/** The manifests of all games in a dist folder. */
async function readManifests(dist: string): Promise<Manifest[]> {
  const { games } = JSON.parse(await readFile(path.join(dist, INDEX_FILE), 'utf8')) as Index;
  return await Promise.all(games.map(({ manifest }) => readJson<Manifest>(dist, manifest)));
}

/** Reads a file of a dist folder. */
export async function readJson<T>(dist: string, { file }: FileRef): Promise<T> {
  return JSON.parse(await readFile(path.join(dist, file), 'utf8')) as T;
}

/** Reads a snapshot, of which a dist folder has compressed files. */
async function readSnapshot(dist: string, { gzip }: CompressedRef): Promise<Buffer> {
  return gunzipSync(await readFile(path.join(dist, gzip.file)));
}

/** The newest builds of the named shipped games, or of all; `FIRST` comes first. */
async function readShippedGames(slugs: string[] = []): Promise<Snapshot[]> {
  const folder = path.join(BENCH_FOLDER, 'shipped');
  await cp(DATA, path.join(folder, 'data'), { recursive: true, preserveTimestamps: true });
  const dist = await build(folder, slugs);
  const manifests = await readManifests(dist);
  const newest = manifests.map(({ builds }) => builds.at(-1) as BuildEntry);
  const games = await Promise.all(
    newest.map(async ({ snapshot }) => JSON.parse(String(await readSnapshot(dist, snapshot))) as Snapshot),
  );
  return games.sort((a, b) => Number(b.game === FIRST) - Number(a.game === FIRST));
}

/** Compiles the data of a folder in var/bench/ again. @returns its dist folder */
async function build(folder: string, slugs: string[] = []): Promise<string> {
  const [data, out, cache] = ['data', 'dist', 'cache'].map((name) => path.join(folder, name));
  const options = { data, out, cache, 'time-limit': 600, 'memory-limit': 8192 };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { code, stderr } = await startCommand('gamedata', ['build', ...slugs, ...args]).ended;
  if (code !== 0) throw new Error(`gamedata build failed for ${folder}:\n${stderr}`);
  return out as string;
}

function makeGame(template: Snapshot, { characters, languages, seed }: GamesSize & { seed: number }): Files {
  const named = template.characters.map((character) => keepLanguages(character, languages));
  const random = createRandom(seed);
  const records = Array.from({ length: characters }, (_, at) => makeCharacter(named, at, random));
  const datasets = Object.entries(template.datasets).map(([key, dataset]) => [`1/${key}.json`, dataset]);
  return {
    'game.json': { title: template.title },
    '1/build.json': { released_at: '2026-01-01' },
    '1/characters.json': records,
    ...Object.fromEntries(datasets),
  };
}

/** The languages that are kept first: each has a script of its own. */
const LANGUAGES = ['name', 'name_ja', 'name_ko'];

function keepLanguages(character: JsonObject, languages = Number.POSITIVE_INFINITY): JsonObject {
  const names = Object.keys(character).filter((key) => /^name(_|$)/.test(key));
  const kept = new Set([...new Set([...LANGUAGES, ...names])].slice(0, languages));
  return Object.fromEntries(
    Object.entries(character).filter(([key]) => !names.includes(key) || kept.has(key)),
  );
}

/** A character like one of the template's, with a new name in each language, which combines two of the template's names. */
function makeCharacter(templates: readonly JsonObject[], at: number, random: () => number): JsonObject {
  const own = templates[at % templates.length] as JsonObject;
  const other = templates[Math.floor(at / templates.length) % templates.length] as JsonObject;
  const names = Object.entries(own).flatMap(([key, name]) =>
    /^name(_|$)/.test(key) ? [[key, `${name} ${other[key] ?? other.name}`] as const] : [],
  );
  return varyStats({ ...own, id: String(10_000_000 + at), ...Object.fromEntries(names) }, random);
}

/** All stats by one factor: a least value stays below its greatest. */
function varyStats(character: JsonObject, random: () => number): JsonObject {
  const factor = 0.7 + 0.6 * random();
  const stats = Object.entries((character.stats ?? {}) as JsonObject).map(([key, value]) => {
    if (typeof value !== 'number') return [key, value] as const;
    const varied = value * factor;
    return [key, Number.isInteger(value) ? Math.round(varied) : Number(varied.toPrecision(6))] as const;
  });
  return { ...character, stats: Object.fromEntries(stats) };
}
