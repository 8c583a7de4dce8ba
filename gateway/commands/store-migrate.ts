import type { Command } from 'commander';
import { nameStore } from '../store/address.ts';
import { migrateStore } from '../store/migrate.ts';
import { openStore, STORE_HELP } from '../store/open-store.ts';
import { printReport } from './store-command.ts';

interface MigrateOptions {
  from: string;
  to: string;
  json?: true;
}

const HELP = `
End all gateways on both stores first. The target must be empty. At the end both stores are compared. The source does not change. If the
command is interrupted, run it again; until it is finished, no gateway starts on the target. Quota counters are not copied: quotas start again.

Example:
  gateway store migrate --from var/store --to redis://127.0.0.1:6379`;

/** Adds `gateway store migrate`. */
export function addMigrateCommand(store: Command): void {
  store
    .command('migrate')
    .description('copy all accounts and keys of a store to an empty one')
    .requiredOption('--from <address>', STORE_HELP)
    .requiredOption('--to <address>', 'an empty store, of the same forms')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(migrate);
}

async function migrate({ from, to, json }: MigrateOptions): Promise<void> {
  const source = await openStore(from);
  try {
    const target = await openStore(to, { isTarget: true });
    try {
      const records = await migrateStore({ from: source, to: target, now: Date.now });
      printReport({ from: nameStore(from), to: nameStore(to), records }, json);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
