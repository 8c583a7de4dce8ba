import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLine, startProcess } from '../../support/command.ts';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { linesOf } from '../check/cases.ts';

/** Runs in its own mount namespace, so that nothing remains afterwards: dist/ has 256 KiB, some of which the first build uses. */
const FULL_DISK = `
  mount -t tmpfs -o size=256k gamedata dist
  "$@" build --data first >&2
  find dist -type f | sort | xargs sha256sum
  echo
  "$@" build --data data 2>&1 || echo "ended with $?"
  echo
  find dist -type f | sort | xargs sha256sum`;

const namespace = ['unshare', process.getuid?.() === 0 ? '--mount' : '--map-root-user', '--mount'];
const canMount = await startProcess('bash', ['-c', `${namespace.join(' ')} mount -t tmpfs none /tmp`])
  .ended.then(({ code }) => code === 0)
  .catch(() => false);
if (!canMount) process.stdout.write('skipped without the right to mount: a full disk\n');

(canMount ? test : test.skip)('a full disk does not change existing files', async () => {
  const big = linesOf(
    ...Array.from({ length: 400 }, (_, id) => `{"id": ${id}, "text": "${'x'.repeat(1000)}"}`),
  );
  const files = {
    ...inFolder('first/game', gameFiles()),
    ...inFolder('data/game', gameFiles({ 'game.json': { title: 'Other' }, '1.0/items.json': big })),
  };
  await withFolder(files, async (cwd) => {
    await mkdir(path.join(cwd, 'dist'));
    const gamedata = commandLine('gamedata', []);
    const args = [...namespace.slice(1), 'bash', '-euc', FULL_DISK, 'bash', ...gamedata];
    const { code, stdout, stderr } = await startProcess('unshare', args, { cwd }).ended;
    assert.is(code, 0, stderr);
    const [before = '', printed, after = ''] = stdout.split('\n\n');
    assert.match(
      printed ?? '',
      /gamedata: dist\/ cannot be written: ENOSPC.*; its index has not changed\nended with 1$/,
    );
    const left = after.trim().split('\n');
    assert.ok(before.split('\n').length > 3);
    assert.equal(
      before.split('\n').filter((line) => !left.includes(line)),
      [],
    );
    assert.equal(
      left.filter((line) => line.endsWith('.tmp')),
      [],
    );
  });
});

test.run();
