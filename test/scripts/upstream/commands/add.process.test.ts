import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLine, startProcess } from '../../../support/command.ts';
import { type Files, inFolder, withFolder } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { hashFolder } from '../../commands/hash-folder.ts';

const FILES: Files = {
  ...inFolder('data/game', {
    'game.json': { title: 'Game', tables: { units: 'units/*.json' } },
    '1/build.json': { released_at: '2026-01-01' },
    '1/units/ann.json': { name: 'Ann' },
  }),
  'dump/units/dan.json': { name: 'Dan' },
  'dump/units/zoe.json': { name: 'Z'.repeat(3_000_000) },
};

test('a write that fails leaves no part of a build', async () => {
  await withFolder(FILES, async (cwd) => {
    const before = await hashFolder(cwd);
    // As on a full disk: the write fails after other files were stored.
    const script = `trap '' XFSZ; ulimit -f 2000; exec "$@"`;
    const args = ['add', 'game', '2', '--from', 'dump'];
    const shell = ['-c', script, 'bash', ...commandLine('gamedata', args)];
    const { code, stderr } = await startProcess('bash', shell, { cwd }).ended;
    assert.equal(
      [code, stderr],
      [1, 'gamedata: data/game/2 cannot be written: EFBIG: file too large, write; nothing was added\n'],
    );
    assert.equal(await hashFolder(cwd), before);
    assert.equal((await readdir(path.join(cwd, 'data/game'))).sort(), ['1', 'game.json']);
  });
});

test('a file that is trimmed is read only up to "read_mb"', async () => {
  const trim = { 'raw/*.json': { columns: ['name'] } };
  const source = { git: 'https://example.org/a.git', build: 'date', limits: { read_mb: 1 }, trim };
  const files = {
    'data/game/game.json': { title: 'Game', source, tables: { units: 'raw/units.json' } },
    'dump/raw/units.json': [{ name: 'Ann', story: 'x'.repeat(1_100_000) }],
  };
  await withFolder(files, async (cwd) => {
    const args = ['add', 'game', '1', '--from', 'dump'];
    const { code, stderr } = await runInProcess('gamedata', args, { cwd });
    assert.is(code, 1);
    assert.match(
      stderr,
      /raw\/units\.json has 11\d{5} bytes, and at most 1048576 are read: leave it out of the tables, or allow more \("read_mb" in "limits" of "source"\)/,
    );
    assert.equal(await readdir(path.join(cwd, 'data/game')), ['game.json']);
  });
});

test.run();
