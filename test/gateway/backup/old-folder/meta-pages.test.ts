import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LmdbRecords } from '../../../../gateway/backup/old-folder/lmdb-records.ts';
import { findMetaFault } from '../../../../gateway/backup/old-folder/meta-pages.ts';

const PAGE = 4096;
const test = suite<{ folder: string }>('meta pages');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'meta-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

async function write(folder: string, count: number): Promise<void> {
  const store = await LmdbRecords.open(folder, Date.now);
  for (let n = 0; n < count; n++) {
    await store.commit({ read: new Map(), write: new Map([[`x:${n}`, { value: 'v'.repeat(n) }]]) });
    assert.is(await findMetaFault(folder), undefined, `after ${n} transactions`);
  }
  await store.close();
}

test('are of successive transactions while a store is used, and after it was closed and opened again', async ({
  folder,
}) => {
  for (let times = 0; times < 3; times++) await write(folder, 20 + times);
  assert.is(await findMetaFault(folder), undefined);
});

for (const [what, change] of [
  ['zeroed', (page: Buffer) => page.fill(0)],
  ['of an earlier transaction', (page: Buffer) => page.writeBigUInt64LE(1n, 152)],
  ['of a later transaction', (page: Buffer) => page.writeBigUInt64LE(999n, 152)],
] as const) {
  for (const number of [0, 1]) {
    test(`that are ${what} are a fault: page ${number}`, async ({ folder }) => {
      await write(folder, 30);
      const file = join(folder, 'data.mdb');
      const bytes = await readFile(file);
      change(bytes.subarray(number * PAGE, (number + 1) * PAGE));
      await writeFile(file, bytes);
      assert.match((await findMetaFault(folder)) ?? 'nothing', /meta page/);
    });
  }
}

test.run();
