import { readdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeSuperseded } from '../../../scripts/dist/write-dist.ts';
import { withFolder } from '../../support/fixtures.ts';

const test = suite('superseded manifests');

const nameOf = (number: number) => `manifest.${String(number).padStart(32, '0')}.json`;

test('stay if they are among the ten latest, and no other file is removed', async () => {
  const names = Array.from({ length: 14 }, (_, number) => nameOf(number));
  const others = ['characters.0123456789abcdef0123456789abcdef.json', 'manifest.json'];
  const files = Object.fromEntries([...names, ...others].map((name) => [`dist/game/${name}`, '{}']));
  await withFolder({ ...files, [`dist/other/${nameOf(1)}`]: '{}' }, async (folder) => {
    const dist = path.join(folder, 'dist');
    for (const [number, name] of names.entries())
      await utimes(path.join(dist, 'game', name), 0, 1_000_000 + number);
    // An amendment may bring back an old manifest: the index names the oldest file.
    const manifest = { file: `game/${nameOf(0)}`, bytes: 2, sha256: '' };
    await removeSuperseded(dist, [{ slug: 'game', manifest }]);
    const left = [...names.slice(0, 1), ...names.slice(4), ...others];
    assert.equal((await readdir(path.join(dist, 'game'))).sort(), left.sort());
    assert.equal(await readdir(path.join(dist, 'other')), [nameOf(1)]);
  });
});

test.run();
