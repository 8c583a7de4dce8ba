import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CAN_MOUNT, SmallDisk } from '../../faults/small-disk.ts';
import { commandLine, type Ended, startProcess } from '../../support/command.ts';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { linesOf } from '../check/cases.ts';
import { hashFolder } from './hash-folder.ts';

/** The first build uses some of it; the second does not fit. */
const DISK_BYTES = 256 * 1024;

if (!CAN_MOUNT) process.stdout.write('skipped without the right to mount: a full disk\n');

(CAN_MOUNT ? test : test.skip)('a full disk does not change existing files', async () => {
  const big = linesOf(
    ...Array.from({ length: 400 }, (_, id) => `{"id": ${id}, "text": "${'x'.repeat(1000)}"}`),
  );
  const files = {
    ...inFolder('first/game', gameFiles()),
    ...inFolder(
      'data/game',
      gameFiles({ '1.1/build.json': { released_at: '2026-01-02' }, '1.1/items.json': big }),
    ),
  };
  await withFolder(files, async (cwd) => {
    await mkdir(path.join(cwd, 'dist'));
    const disk = await SmallDisk.open(path.join(cwd, 'dist'), DISK_BYTES);
    const build = async (data: string): Promise<Ended> => {
      const [program, ...args] = disk.inside(commandLine('gamedata', ['build', '--data', data]));
      return await startProcess(program, args).ended;
    };
    try {
      const first = await build('first');
      assert.is(first.code, 0, first.stderr);
      const before = Object.entries(await hashFolder(disk.outside('')));
      const { code, stderr } = await build('data');
      assert.is(code, 1);
      assert.match(stderr, /gamedata: dist\/ cannot be written: ENOSPC.*; its index has not changed\n$/);
      const after = await hashFolder(disk.outside(''));
      assert.ok(before.length > 3);
      for (const [file, hash] of before) assert.is(after[file], hash, file);
      assert.not.ok(Object.keys(after).some((file) => file.endsWith('.tmp')));
    } finally {
      await disk.close();
    }
  });
});

test.run();
