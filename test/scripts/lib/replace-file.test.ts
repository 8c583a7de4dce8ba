import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import writeFileAtomic from 'write-file-atomic';
import { replaceFile } from '../../../scripts/lib/replace-file.ts';
import { withPrograms } from '../../support/skip.ts';
import { whenFull } from '../../support/when-full.ts';

const OLD = Buffer.alloc(1000, 'old');
const NEW = Buffer.alloc(100_000, 'new');

const test = suite<{ folder: string; file: string }>('replaceFile');
test.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'replace-file-'));
  context.file = path.join(context.folder, 'index.json');
  await writeFile(context.file, OLD);
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

test('a reader with the old file open still reads the old content, and no temporary file is left', async ({
  folder,
  file,
}) => {
  const reader = await open(file);
  await replaceFile(file, NEW);
  assert.ok((await reader.readFile()).equals(OLD));
  await reader.close();
  assert.ok((await readFile(file)).equals(NEW));
  assert.is((await stat(file)).mode & 0o777, 0o644 & ~process.umask());
  assert.equal(await readdir(folder), ['index.json']);
});

test('a target that cannot be replaced stays, and no temporary file is left', async ({ folder }) => {
  await mkdir(path.join(folder, 'target', 'inside'), { recursive: true });
  const error = await replaceFile(path.join(folder, 'target'), NEW).catch((reason: unknown) => reason);
  assert.instance(error, Error);
  assert.equal((await readdir(folder)).sort(), ['index.json', 'target']);
});

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
