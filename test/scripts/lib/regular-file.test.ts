import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readRegularFile } from '../../../scripts/system.ts';

const codeOf = (file: string) => readRegularFile(file).catch(({ code }: NodeJS.ErrnoException) => code);

test('reads a file, and refuses what might never end', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'regular-'));
  try {
    const [file, pipe] = [path.join(folder, 'file'), path.join(folder, 'pipe')];
    await writeFile(file, 'text');
    execFileSync('mkfifo', [pipe]);
    assert.is(String(await readRegularFile(file)), 'text');
    for (const other of [pipe, '/dev/zero', folder]) assert.is(await codeOf(other), 'EINVAL');
    assert.is(await codeOf(path.join(folder, 'none')), 'ENOENT');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
