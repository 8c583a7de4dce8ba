import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HeldBuilds } from '../../../../scripts/upstream/pull/held.ts';
import { withFolder, writeFiles } from '../../../support/fixtures.ts';

const test = suite('builds that are held back');

test('keep what a maintainer writes while another build is tried', async () => {
  await withFolder({}, async (folder) => {
    const held = await HeldBuilds.read(folder);
    await held.beginTrying('1.2');
    await writeFiles(folder, { 'held.json': { trying: '1.2', builds: { '1.1': { skip: true } } } });
    await held.endTrying('1.2', () => ({ errors: ['records-lost'] }));
    const { builds, trying } = await HeldBuilds.read(folder);
    assert.equal(builds, [
      ['1.1', { skip: true }],
      ['1.2', { errors: ['records-lost'] }],
    ]);
    assert.equal(trying, []);
  });
});

test.run();
