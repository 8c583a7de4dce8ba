import { print, type StoreOptions, withStore } from '../../commands/store.ts';
import { findAccounts } from '../accounts/account-records.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import { listEvents, readEvents } from '../audit/audit-log.ts';
import { withAccount } from './account-command.ts';

/** `gateway accounts audit`: prints the events of one account, or of all, as a line of JSON each, the oldest first. */
export async function printEvents(email: string | undefined, { store }: StoreOptions): Promise<void> {
  if (email !== undefined) {
    const events = await withAccount(store, email, (opened, { id }) => readEvents(opened, id));
    return printLines(email, events.reverse());
  }
  const found = await withStore(store, async (opened) => {
    const logs = await listEvents(opened);
    const accounts = await findAccounts(
      opened,
      logs.map(([id]) => id),
    );
    return logs.flatMap(([id, events]) => {
      const account = accounts.get(id);
      return account ? [{ email: account.email, events }] : [];
    });
  });
  for (const each of found) printLines(each.email, each.events);
}

function printLines(email: string, events: readonly AuditEvent[]): void {
  for (const { at, event, about, by, network } of events) {
    print(JSON.stringify({ at, email, event, about, by, network }));
  }
}
