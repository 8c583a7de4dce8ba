import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLastBackup } from '../../../gateway/backup/past-backups.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const ID = '0d9c2b8e-7a51-4f3c-9b1e-5a6d7c8e9f00';
const LONG_AGO = new Date('2026-01-01');

const backups = suite<{ folder: string; store: string }>('gateway store backup');
backups.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'store-backup-'));
  context.store = path.join(context.folder, 'store');
  await runInProcess('gateway', ['keys', 'issue', 'a@example.org', '--store', context.store]);
});
backups.after.each(({ folder }) => rm(folder, { recursive: true }));

async function backUp({ folder, store }: { folder: string; store: string }, name: string): Promise<void> {
  const file = path.join(folder, 'backups', name);
  const { code, stderr } = await runInProcess('gateway', ['store', 'backup', file, '--store', store]);
  assert.is(code, 0, stderr);
}

backups('removes the drafts of earlier backups that were killed, whatever their names', async (context) => {
  const place = path.join(context.folder, 'backups');
  const names = [`monday.${ID}.part`, `tuesday.${ID}.part`, `wednesday.${ID}.part`, 'notes.part'];
  const [killed = '', file = '', recent = ''] = names.map((name) => path.join(place, name));
  await mkdir(killed, { recursive: true });
  await mkdir(recent);
  for (const written of [
    path.join(killed, 'data'),
    file,
    path.join(recent, 'data'),
    path.join(place, 'notes.part'),
  ])
    await writeFile(written, 'half');
  for (const old of [path.join(killed, 'data'), killed, file, recent, path.join(place, 'notes.part')])
    await utimes(old, LONG_AGO, LONG_AGO);
  await backUp(context, 'thursday');
  assert.equal((await readdir(place)).sort(), ['notes.part', 'thursday', `wednesday.${ID}.part`]);
});

backups('notes when the last backup was complete', async (context) => {
  assert.is(await readLastBackup(context.store), 0);
  const before = Date.now();
  await backUp(context, 'first');
  assert.ok((await readLastBackup(context.store)) >= before);
});

backups.run();
