import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replaceFile } from '../../../scripts/system.ts';

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

test('processes with the same number, as in containers, replace a file at the same time', async ({
  folder,
  file,
}) => {
  // These calls are in one process, so they have the same number.
  await Promise.all(Array.from({ length: 20 }, () => replaceFile(file, NEW)));
  assert.ok((await readFile(file)).equals(NEW));
  assert.equal(await readdir(folder), ['index.json']);
});

test.run();
