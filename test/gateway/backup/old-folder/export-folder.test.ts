import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportFolder } from '../../../../gateway/backup/old-folder/export-folder.ts';
import { openSqliteStore } from '../../../../gateway/store/sqlite-store.ts';

const test = suite<{ root: string }>('a folder for a version before 0.2');
test.before.each(async (context) => {
  context.root = await mkdtemp(path.join(tmpdir(), 'export-'));
});
test.after.each(({ root }) => rm(root, { recursive: true }));

test('is written without what a killed process left beside it', async ({ root }) => {
  const [left, other] = [`old.${randomUUID()}.part`, `old.${randomUUID()}.part`];
  for (const name of [left, other]) await mkdir(path.join(root, name));
  await utimes(path.join(root, left), 0, 0);
  const store = await openSqliteStore(path.join(root, 'store'));
  await exportFolder(store, path.join(root, 'old'));
  await store.close();
  assert.equal((await readdir(root)).sort(), ['old', other, 'store'].sort());
});

test.run();
