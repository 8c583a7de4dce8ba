import { Command } from 'commander';
import { nameStore } from '../store/address.ts';
import { initStore } from '../store/open-store.ts';
import { addStoreOptions, printReport, type StoreOptions } from './store-command.ts';

/** `gateway store`: care for the store itself. */
export function storeCommand(): Command {
  const store = new Command('store').description('initialise a store');
  addStoreOptions(store.command('init'))
    .description('accept an empty store after Redis has lost its data')
    .addHelpText(
      'after',
      `
A store that was never used needs no init. One that was lost does: when Redis starts without its data, gateways respond with 503 until a
backup is restored, or until this command accepts the loss. All keys and accounts are then unknown.

Example:
  gateway store init --store redis://127.0.0.1:6379`,
    )
    .action(async ({ store: address, json }: StoreOptions) => {
      printReport({ store: nameStore(address), identity: await initStore(address) }, json);
    });
  return store;
}
