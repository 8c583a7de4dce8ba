import type { Command } from 'commander';
import { printReport } from '../../commands/store-command.ts';
import { openStore, STORE_HELP } from '../../store/open-store.ts';
import { nameStore, type Store } from '../../store/store.ts';
import { migrateStore } from '../migrate.ts';

/** How the address of a folder begins that is written for versions before 0.2. */
const OLD_ADDRESS = 'lmdb:';

interface MigrateOptions {
  from: string;
  to: string;
  json?: true;
}

const HELP = `
End all gateways on both stores first. The target must be empty. At the end both stores are compared. The source does not change. If the
command is interrupted, run it again; until it is finished, no gateway starts on the target. Quota counters are not copied: quotas start again.

With lmdb:<folder> as the target, a new folder is written that versions before 0.2 open, to go back to one with all commits.

Examples:
  gateway store migrate --from var/store --to redis://127.0.0.1:6379
  gateway store migrate --from var/store --to lmdb:var/store-0.1`;

/** Adds `gateway store migrate`. */
export function addMigrateCommand(store: Command): void {
  store
    .command('migrate')
    .description('copy all accounts and keys of a store to an empty one')
    .requiredOption('--from <address>', STORE_HELP)
    .requiredOption(
      '--to <address>',
      'an empty store, of the same forms, or lmdb:<new folder> for versions before 0.2',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(migrate);
}

async function migrate({ from, to, json }: MigrateOptions): Promise<void> {
  const source = await openStore(from);
  try {
    const records = to.startsWith(OLD_ADDRESS)
      ? await exportStore(source, to.slice(OLD_ADDRESS.length))
      : await migrateTo(source, to);
    printReport({ from: nameStore(from), to: nameStore(to), records }, json);
  } finally {
    await source.close();
  }
}

/** @returns how many records were copied */
async function migrateTo(source: Store, to: string): Promise<number> {
  const target = await openStore(to, { isTarget: true });
  try {
    return await migrateStore({ from: source, to: target, now: Date.now });
  } finally {
    await target.close();
  }
}

/** @returns how many records were copied */
async function exportStore(source: Store, folder: string): Promise<number> {
  const { exportFolder } = await import('../old-folder/export-folder.ts');
  return await exportFolder(source, folder);
}
