import { existsSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { locateFindings, renderFindings } from '../../scripts/check/report.ts';
import { compileGame } from '../../scripts/compile/game.ts';
import type { GamePlan } from '../../scripts/dist/plan.ts';
import { withFolder, writeFiles } from '../support/fixtures.ts';
import { DATA, ROOT } from '../support/paths.ts';
import { UPSTREAM } from '../support/skip.ts';
import { type ExpectedGame, expectations } from './expectations.ts';

// Datasets that are not in any dump: they are in the first shipped build, or beside the definition of a game that is not shipped.
const OWN_DATASETS = ['pull_planner.json', 'pull_rates.json', 'stat_calc.json'];
/** The raw tables of shipped games, or folders of them, that the dumps lack, or have only later. */
export const OWN_TABLES: readonly string[] = [
  'facts',
  'traits.json',
  'unit_promotion_status.csv',
  'src/data/talents.json',
  'src/data/image/characters.json',
  'src/data/curve/characters.json',
  'src/data/constellations.json',
  'src/data/Japanese/weapons',
  'src/data/Korean/weapons',
  'skill_data.csv',
  'skill_action.csv',
  'unit_promotion.csv',
  'unit_attack_pattern.csv',
  'unit_unique_equip.csv',
  'unique_equipment_data.csv',
  'quest_data.csv',
];
const definitions = path.join(ROOT, 'test/upstream/definitions');

const dumps = new Map<string, Promise<GamePlan>>();

/** Compiles all full dumps of a game with its definition, once; throws if there is a finding. */
export function compileDumps(slug: string): Promise<GamePlan> {
  const compiled = dumps.get(slug) ?? withFolder({}, (folder) => compileLaidOut(slug, folder));
  dumps.set(slug, compiled);
  return compiled;
}

async function compileLaidOut(slug: string, folder: string): Promise<GamePlan> {
  await layOut(slug, expectations[slug] as ExpectedGame, folder);
  const { builds } = expectations[slug] as ExpectedGame;
  const shipped = await shippedBuilds(path.join(DATA, slug));
  const hasLater = shipped.some((name) => !builds.some(({ build }) => build === name));
  // The dictionary also describes what is made of tables that the dumps lack.
  return await compileFolder(folder, slug, [...(hasLater ? ABOUT_LATER_BUILDS : [])]);
}

/** What is found if a mapping reads, or aliases name, what only later builds have, which are shipped and in no full dump. */
const ABOUT_LATER_BUILDS: readonly string[] = ['aliases', 'attribute-unserved', 'mapping-changes'];

async function shippedBuilds(folder: string): Promise<string[]> {
  const entries = existsSync(folder) ? await readdir(folder) : [];
  return entries.filter((entry) => existsSync(path.join(folder, entry, 'build.json')));
}

/** Compiles a game of data/; throws if there is a finding. Undefined for a game that is not shipped. */
export async function compileShipped(slug: string): Promise<GamePlan | undefined> {
  const folder = path.join(DATA, slug);
  return existsSync(folder) ? await compileFolder(folder, slug) : undefined;
}

async function compileFolder(
  folder: string,
  slug: string,
  expected: readonly string[] = [],
): Promise<GamePlan> {
  const { value, findings } = await compileGame(folder, slug);
  // Upstream may have a text one build later.
  const usual = ['text-unresolved', ...expected];
  const unexpected = findings.filter(({ check }) => !usual.includes(check));
  assert.is(renderFindings(await locateFindings(unexpected)), '');
  assert.ok(value, slug);
  return value;
}

/** The folder with the definition of a game: that of data/, or of a game that is not shipped. */
function sourceFolderOf(slug: string): string {
  return path.join(existsSync(path.join(DATA, slug)) ? DATA : definitions, slug);
}

/** Lays out the dumps of a game as a game folder, with what the game's own folder has besides builds and builds.lock.json. */
export async function layOut(slug: string, { folder, builds }: ExpectedGame, target: string): Promise<void> {
  const source = sourceFolderOf(slug);
  const entries = await readdir(source);
  const own = await shippedBuilds(source);
  for (const entry of entries) {
    if (own.includes(entry) || entry === 'builds.lock.json') continue;
    await cp(path.join(source, entry), path.join(target, entry), { recursive: true });
  }
  for (const { build, folders, released_at, overrides = [] } of builds) {
    for (const part of folders) {
      const { dump, into } = typeof part === 'string' ? { dump: part, into: '' } : part;
      await cp(path.join(UPSTREAM, folder, dump), path.join(target, build, into), { recursive: true });
    }
    await writeFiles(target, {
      [`${build}/build.json`]: { released_at, overrides: overrides.map((override) => ({ ...override })) },
    });
  }
  const first = own.sort().find((build) => existsSync(path.join(source, build, OWN_DATASETS[0] as string)));
  for (const file of [...OWN_DATASETS, ...OWN_TABLES]) {
    const from = path.join(source, first ?? '.', file);
    if (existsSync(from))
      await cp(from, path.join(target, builds[0]?.build as string, file), { recursive: true });
  }
  for (const { build } of builds) {
    for (const file of OWN_TABLES) {
      const from = path.join(source, build, file);
      if (existsSync(from)) await cp(from, path.join(target, build, file), { recursive: true });
    }
  }
}
