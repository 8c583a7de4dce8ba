import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import writeFileAtomic from 'write-file-atomic';
import { replaceFile } from '../../../scripts/system.ts';
import { withPrograms } from '../../support/skip.ts';
import { whenFull } from '../../support/when-full.ts';

const OLD = Buffer.alloc(1000, 'old');
const NEW = Buffer.alloc(100_000, 'new');

const test = suite<{ folder: string; file: string }>('replaceFile on a full disk');
test.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'replace-file-'));
  context.file = path.join(context.folder, 'index.json');
  await writeFile(context.file, OLD);
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

const whenProgramsAllow = withPrograms(test, 'prlimit');
whenProgramsAllow('on a full disk it fails, and the old file stays complete', async ({ folder, file }) => {
  await whenFull(4096, async () => {
    const error = await replaceFile(file, NEW).catch((reason: unknown) => reason);
    assert.match(String(error), /EFBIG/);
  });
  assert.ok((await readFile(file)).equals(OLD));
  assert.equal(await readdir(folder), ['index.json']);
});

// The reason for replaceFile. When this test fails, the library can replace it.
whenProgramsAllow('write-file-atomic leaves a truncated file and reports success', async ({ file }) => {
  await whenFull(4096, () => writeFileAtomic(file, NEW));
  assert.is((await stat(file)).size, 4096);
});

test.run();
