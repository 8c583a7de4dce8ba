import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyDist } from '../../scripts/commands/verify.ts';
import { planIndex } from '../../scripts/dist/plan.ts';
import { writeDist } from '../../scripts/dist/write-dist.ts';
import type { BuildContent } from '../../scripts/format/build-content.ts';
import {
  INDEX_FILE,
  type Index,
  type Json,
  type JsonObject,
  type Manifest,
} from '../../scripts/format/dist-format.ts';
import { indexSchema, manifestSchema } from '../../scripts/format/dist-schemas.ts';
import { compileSchema } from '../../scripts/read/schema.ts';
import { contentsOfPlan, snapshotOf } from '../scripts/diff/contents.ts';
import { applyPatches, checkPair } from '../scripts/diff/invariants.ts';
import { type ParsedBuild, parsePlan, withFolder } from '../support/fixtures.ts';
import { chooseSome, sampleOf } from '../support/random.ts';
import { testUpstream } from '../support/skip.ts';
import { expectations } from './expectations.ts';
import { compileDumps, compileShipped } from './lay-out.ts';

/** Of so many games, any two builds are compared. */
const PAIRED = 3;
/** How many games are compiled, unless all tests run. */
const GAMES = 2;

const sample = sampleOf(Object.entries(expectations), GAMES);
const test = suite('full dumps compiled with their definitions');

/** A build without attributes of its datasets. */
function withoutAttributes(
  build: ParsedBuild | undefined,
  attributes: Readonly<Record<string, string[]>> = {},
): ParsedBuild | undefined {
  const copy = structuredClone(build);
  for (const [dataset, names] of Object.entries(attributes))
    for (const record of (copy?.datasets[dataset] ?? []) as JsonObject[])
      for (const name of names) delete record[name];
  return copy;
}

for (const [slug, expected] of sample) {
  testUpstream(
    test,
    `${slug}: counts are those of the raw files, and shipped builds are complete`,
    async () => {
      const builds = parsePlan(await compileDumps(slug));
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

      const shippedPlan = await compileShipped(slug);
      if (!shippedPlan) return;
      // Later builds are of other dumps.
      const shipped = parsePlan(shippedPlan).filter(({ build }) =>
        builds.some((full) => full.build === build),
      );
      assert.ok(shipped.length >= 2);
      for (const each of shipped) {
        const full = withoutAttributes(
          builds.find(({ build }) => build === each.build),
          expected.unshipped,
        );
        assert.equal({ ...each, note: null }, full, `the shipped build ${each.build} is the full one`);
      }
    },
  );
}

for (const [slug] of chooseSome(sample, PAIRED)) {
  testUpstream(test, `${slug}: patches and flat changes of any two builds are exact`, async () => {
    const builds = await contentsOfPlan(await compileDumps(slug));
    assert.ok(builds.length >= 3);
    // Each build with the next one, and every second one with a later one.
    for (const [index, before] of builds.entries()) {
      for (const step of index % 2 ? [1] : [1, 3])
        checkPair(before, builds[(index + step) % builds.length] as BuildContent);
    }
    const [first, last] = [builds[0], builds.at(-1)] as [BuildContent, BuildContent];
    assert.equal(applyPatches(snapshotOf(first), ...builds), snapshotOf(last));
    assert.equal(applyPatches(snapshotOf(first), first, last), snapshotOf(last));
  });
}

testUpstream(test, 'one dist/ holds all builds of several games, each with its history', async () => {
  const plans = await Promise.all(sample.map(([slug]) => compileDumps(slug)));
  await withFolder({}, async (dist) => {
    await writeDist(dist, plans, planIndex(plans, []), undefined);
    const read = async (file: string) => JSON.parse(await readFile(path.join(dist, file), 'utf8'));
    const index = (await read(INDEX_FILE)) as Index;
    assert.ok(compileSchema(indexSchema)(index));
    assert.equal((await verifyDist(dist, index)).faults, []);
    for (const { slug, manifest: ref } of index.games) {
      const manifest = (await read(ref.file)) as Manifest;
      assert.ok(compileSchema(manifestSchema)(manifest), slug);
      for (const [at, { build, history, diff }] of manifest.builds.entries()) {
        const { previous } = (await read(history.file)) as { previous: string | null };
        const before = manifest.builds[at - 1]?.build ?? null;
        assert.equal([build, previous, diff === null], [build, before, before === null]);
      }
    }
  });
});

test.run();
