import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildContent } from '../../scripts/format/build-content.ts';
import { contentsOfPlan, snapshotOf } from '../scripts/diff/contents.ts';
import { applyPatches, checkPair } from '../scripts/diff/invariants.ts';
import { testUpstream } from '../support/skip.ts';
import { expectations } from './expectations/expectations.ts';
import { compileDumps } from './lay-out.ts';

const test = suite('diffs of full dumps');

for (const slug of Object.keys(expectations)) {
  testUpstream(test, `${slug}: patches and flat changes of any two builds are exact`, async () => {
    const builds = await contentsOfPlan(await compileDumps(slug));
    assert.ok(builds.length > 3);
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

test.run();
