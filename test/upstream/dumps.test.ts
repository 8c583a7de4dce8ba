import { cp } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../scripts/compile-game.ts';
import type { Json, JsonObject } from '../../scripts/dist-format.ts';
import { locateFindings, renderFindings } from '../../scripts/report.ts';
import { type ParsedBuild, parsePlan, withFolder, writeFiles } from '../fixtures.ts';
import { testUpstream, UPSTREAM } from '../skip.ts';
import { type ExpectedGame, type ExpectedValue, expectations } from './expectations.ts';

const test = suite('full dumps compiled with the shipped definitions');

// Datasets that no dump has; they come with the first shipped build.
const OWN_DATASETS = ['pull_planner.json', 'pull_rates.json', 'stat_calc.json'];
const data = path.join(import.meta.dirname, '../../data');

/** Lays the dumps of a game out as a game folder with the shipped definition. */
async function layOut(slug: string, { folder, builds }: ExpectedGame, target: string): Promise<void> {
  await cp(path.join(data, slug, 'game.json'), path.join(target, 'game.json'));
  for (const { build, folders, released_at } of builds) {
    for (const dump of folders) {
      await cp(path.join(UPSTREAM, folder, dump), path.join(target, build), { recursive: true });
    }
    await writeFiles(target, { [`${build}/build.json`]: { released_at } });
  }
  const firstShipped = (await compileShipped(slug))[0]?.build as string;
  for (const file of OWN_DATASETS) {
    await cp(path.join(data, slug, firstShipped, file), path.join(target, builds[0]?.build as string, file));
  }
}

async function compileFolder(folder: string, slug: string): Promise<ParsedBuild[]> {
  const { value, findings } = await compileGame(folder, slug);
  assert.is(renderFindings(await locateFindings(findings)), '');
  return value ? parsePlan(value) : [];
}

async function compileShipped(slug: string): Promise<ParsedBuild[]> {
  return await compileFolder(path.join(data, slug), slug);
}

/** The value at a dotted path; undefined where there is nothing. */
function valueAt(record: JsonObject | undefined, dotted: string): Json | undefined {
  let value: Json | undefined = record;
  for (const step of dotted.split('.')) value = (value as Record<string, Json> | undefined)?.[step];
  return value;
}

/** What differs from the expected values, so that one wrong value hides no other. */
function mismatches(records: JsonObject[], expected: ExpectedValue[]): string[] {
  return expected.flatMap(({ id, path: dotted, value }) => {
    const record = records.find((candidate) => candidate.id === id);
    const found = valueAt(record, dotted);
    if (record && isDeepStrictEqual(found, value)) return [];
    return [`${id} ${dotted}: ${JSON.stringify(found)} instead of ${JSON.stringify(value)}`];
  });
}

for (const [slug, expected] of Object.entries(expectations)) {
  testUpstream(
    test,
    `${slug}: counts and values are those worked out from the raw files, and shipped builds are no less`,
    async () => {
      const builds = await withFolder({}, async (folder) => {
        await layOut(slug, expected, folder);
        return await compileFolder(folder, slug);
      });
      assert.equal(
        builds.map(({ build, released_at, characters }) => [build, released_at, characters.length]),
        expected.builds.map(({ build, released_at, characters }) => [build, released_at, characters]),
      );

      const newest = builds.at(-1) as ParsedBuild;
      const counts = Object.keys(expected.datasets).map((key) => [
        key,
        (newest.datasets[key] as Json[]).length,
      ]);
      assert.equal(Object.fromEntries(counts), expected.datasets);
      assert.equal(mismatches(newest.characters, expected.values), []);
      for (const record of expected.records) {
        assert.equal(mismatches(newest.datasets[record.dataset] as JsonObject[], [record]), []);
      }

      for (const shipped of await compileShipped(slug)) {
        const full = builds.find(({ build }) => build === shipped.build) as ParsedBuild;
        assert.equal({ ...shipped, note: null }, full, `the shipped build ${shipped.build} is the full one`);
      }
    },
  );
}

test.run();
