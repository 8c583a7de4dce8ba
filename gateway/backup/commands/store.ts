import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import { addStoreOptions, print, printReport, type StoreOptions } from '../../commands/store-command.ts';
import { takeOverIfOld } from '../../store/open-store.ts';
import { isRedisAddress, nameStore } from '../../store/store.ts';
import { backUpFolder } from '../backup.ts';
import { initStore } from '../init-store.ts';
import { noteBackup, removeDrafts } from '../past-backups.ts';
import { restoreFolder } from '../restore.ts';
import { type DataReport, verifyBackup, verifyFolder } from '../verify.ts';
import { addMigrateCommand } from './store-migrate.ts';

const HELP = {
  init: `
A store that was never used needs no init. One that was lost does: when Redis starts without its data, gateways respond with 503 until a
backup is restored, or until this command accepts the loss. All keys and accounts are then unknown. The same holds for a folder whose
store.sqlite is gone; one whose store.sqlite is that of another store is used as it is.

Examples:
  gateway store init --store redis://127.0.0.1:6379
  gateway store init --store /srv/gateway/store`,
  backup: `
The backup has all accounts and keys as of one moment. It is read whole before it gets its name. It does not have quota counters.

Example:
  gateway store backup /srv/backups/2031-01-01.sqlite`,
  verify: `
Without a file, the store itself is read. Gateways may use it meanwhile. Damaged records are listed, and the exit code is 1.

Examples:
  gateway store verify
  gateway store verify /srv/backups/2031-01-01.sqlite`,
  restore: `
No gateway may use the store meanwhile. The data file that was there before is kept beside the new one. Keys that were revoked and accounts
that were deleted after the backup are back: revoke and delete them again.

Example:
  gateway store restore /srv/backups/2031-01-01.sqlite --store /srv/gateway/store`,
};

/** What to use for Redis in the place of each command. */
const FOR_REDIS = {
  'back up': 'run redis-cli BGSAVE and copy its dump.rdb, or keep a replica',
  verify: 'check its files with redis-check-rdb and redis-check-aof',
  restore: 'stop Redis, put the copy of dump.rdb into its folder, and start it',
};

/** `gateway store`: care for the store itself. */
export function storeCommand(): Command {
  const store = new Command('store');
  addStoreOptions(store.command('init'))
    .description('accept an empty store after its data was lost')
    .addHelpText('after', HELP.init)
    .action(async ({ store: address, json }: StoreOptions) => {
      printReport({ store: nameStore(address), identity: await initStore(address) }, json);
    });
  addStoreOptions(store.command('backup'))
    .description('write a backup of a store in a folder, also while gateways use it')
    .argument('<file>', 'the backup, a new file')
    .addHelpText('after', HELP.backup)
    .action(backUp);
  addStoreOptions(store.command('verify'))
    .description('read the whole store, or a backup, and list damaged records')
    .argument('[file]', 'a backup')
    .addHelpText('after', HELP.verify)
    .action(verify);
  addStoreOptions(store.command('restore'))
    .description('make a backup the content of a store in a folder')
    .argument('<file>', 'a file that gateway store backup wrote')
    .addHelpText('after', HELP.restore)
    .action(restore);
  addMigrateCommand(store);
  return store;
}

async function backUp(file: string, { store, json }: StoreOptions): Promise<void> {
  refuseRedis(store, 'back up');
  await removeDrafts(dirname(resolve(file)));
  const report = backUpFolder(store, file);
  await noteBackup(store).catch(warnOfNote);
  printReport({ backup: resolve(file), ...summarize(report, json) }, json);
  refuseDamage(report, 'the store, and so the backup,');
}

function warnOfNote(error: unknown): void {
  const reason = error instanceof Error ? error.message : error;
  process.stderr.write(
    `gateway: the backup is complete, but its time cannot be noted for the metrics: ${reason}\n`,
  );
}

async function verify(file: string | undefined, { store, json }: StoreOptions): Promise<void> {
  if (file === undefined) {
    refuseRedis(store, 'verify');
  }
  const report = file === undefined ? verifyFolder(store) : verifyBackup(file);
  printReport({ ...(file ? { backup: resolve(file) } : { store }), ...summarize(report, json) }, json);
  if (!json) for (const name of report.damaged) print(name);
  refuseDamage(report, file ?? store);
}

async function restore(file: string, { store, json }: StoreOptions): Promise<void> {
  refuseRedis(store, 'restore');
  await takeOverIfOld(store);
  await removeDrafts(store);
  const report = restoreFolder(file, store);
  printReport({ store, ...summarize(report, json), replaced: report.replaced }, json);
  refuseDamage(report, 'the restored store');
}

function summarize({ identity, records, damaged }: DataReport, json: true | undefined) {
  return { identity, records, damaged: json ? damaged : damaged.length };
}

function refuseRedis(store: string, verb: keyof typeof FOR_REDIS): void {
  if (isRedisAddress(store))
    throw new CommandError(
      `cannot ${verb} ${nameStore(store)}, because Redis does that itself: ${FOR_REDIS[verb]}`,
      2,
    );
}

function refuseDamage({ damaged }: DataReport, subject: string): void {
  if (damaged.length > 0)
    throw new CommandError(
      `${subject} has ${damaged.length} damaged records; gateways work without them, and an earlier backup may have them whole`,
    );
}
