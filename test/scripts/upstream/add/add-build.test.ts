import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBuilds } from '../../../../scripts/read/game.ts';
import type { RawGameDefinition } from '../../../../scripts/read/game-schema.ts';
import { addBuild } from '../../../../scripts/upstream/add/add-build.ts';
import { findPresentFiles, readPathsOf } from '../../../../scripts/upstream/add/files.ts';
import { withFolder, writeFiles } from '../../../support/fixtures.ts';
import { fc } from '../../../support/random.ts';

const test = suite('addBuild');

const DEFINITION: RawGameDefinition = {
  title: 'Game',
  tables: { units: '{en,ja}/units/*.json', items: 'items.json', more: '*/more.csv' },
};

type Contents = Record<string, string>;

/** A dump, and how it is added. */
interface Step {
  files: Contents;
  into: '' | 'en' | 'ja';
  partial: boolean;
}

const arbitraryFile = fc.constantFrom(
  'items.json',
  'en/units/a.json',
  'en/units/b.json',
  'ja/units/a.json',
  'ja/more.csv',
  'en/more.csv',
);
const arbitraryRegionFile = fc.constantFrom('units/a.json', 'units/b.json', 'more.csv');
const arbitraryContent = fc.constantFrom('1', '2', '{}');
const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    files: fc.dictionary(arbitraryFile, arbitraryContent, { minKeys: 1 }),
    into: fc.constant('' as const),
    partial: fc.boolean(),
  }),
  fc.record({
    files: fc.dictionary(arbitraryRegionFile, arbitraryContent, { minKeys: 1 }),
    into: fc.constantFrom('en' as const, 'ja' as const),
    partial: fc.boolean(),
  }),
);

/** The files that the newest build must have after a dump. */
function expectFiles(before: Contents, { files, into, partial }: Step): Contents {
  const prefix = into === '' ? '' : `${into}/`;
  const kept = Object.entries(before).filter(([file]) => partial || !file.startsWith(prefix));
  const added = Object.entries(files).map(([file, content]) => [prefix + file, content]);
  return Object.fromEntries([...kept, ...added]);
}

async function readContents(game: string): Promise<Contents> {
  const builds = await readBuilds(game, undefined, []);
  const { value, findings } = findPresentFiles(builds, readPathsOf(DEFINITION));
  assert.equal(findings, []);
  const contents: Contents = {};
  for (const [file, at] of value) contents[file] = await readFile(at.path, 'utf8');
  return contents;
}

test('after any sequence of dumps, the newest build has exactly the expected files', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 6 }), async (steps) => {
      await withFolder({ 'game/game.json': DEFINITION as never }, async (folder) => {
        const game = path.join(folder, 'game');
        let expected: Contents = {};
        let last = { build: '', into: '' };
        for (const [index, step] of steps.entries()) {
          const dump = path.join(folder, `dump-${index}`);
          await writeFiles(dump, step.files);
          // A region goes into the newest build if that build has another region.
          const sameBuild = last.into !== '' && step.into !== '' && last.into !== step.into;
          const build = sameBuild ? last.build : `b${index}`;
          const released_at = sameBuild ? undefined : `2026-01-01T00:00:0${index}Z`;
          const options = { game, build, into: step.into, released_at, note: undefined };
          await addBuild(dump, { ...options, ...step, now: '2026-02-01T00:00:00Z' });
          last = { build, into: sameBuild ? '' : step.into };
          expected = expectFiles(expected, step);
          assert.equal(await readContents(game), expected);
        }
      });
    }),
    { numRuns: 60 },
  );
});

test.run();
