import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OLD_DATA, SEAL } from '../../../gateway/store/folder-files.ts';
import { openStore } from '../../../gateway/store/open-store.ts';
import { OLD_FOLDERS, REMOTE_STORES } from '../../../gateway/store/ports.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { offerParts } from '../../runner/open-doors.ts';

const test = suite<{ folder: string }>('a store without parts');

test.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'store-'));
  REMOTE_STORES.close();
  OLD_FOLDERS.close();
});

test.after.each(async ({ folder }) => {
  await offerParts();
  await rm(folder, { recursive: true });
});

async function refusalOf(address: string): Promise<string> {
  try {
    await (await openStore(address)).close();
  } catch (error) {
    assert.instance(error, StoreError);
    return (error as Error).message;
  }
  return 'opened';
}

test('on other machines needs the part redis, and says so without the password', async () => {
  const message = await refusalOf('redis://ada:secret@localhost:1');
  assert.match(message, 'redis://ada@localhost:1: this gateway runs without the part redis');
});

test('of an old version needs the part backup, and says so', async ({ folder }) => {
  await writeFile(path.join(folder, OLD_DATA), 'data');
  assert.match(await refusalOf(folder), 'without the part backup');
});

test('that was taken over is opened', async ({ folder }) => {
  assert.is(await refusalOf(folder), 'opened');
  await writeFile(path.join(folder, OLD_DATA), `${SEAL}\n`);
  assert.is(await refusalOf(folder), 'opened');
});

test.run();
