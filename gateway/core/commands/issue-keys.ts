import { addNewKey } from '../accounts/accounts.ts';
import type { Tier } from '../plans/account.ts';
import { transact } from '../store/transaction.ts';
import { describeKey, type KeyReport } from './describe-key.ts';
import { readGrant } from './grant.ts';
import type { KeyTerms } from './ports.ts';
import { type Clock, print, type StoreOptions, withStore } from './store-command.ts';

/** The options of `gateway keys issue`. */
export interface IssueOptions extends StoreOptions {
  tier?: Tier;
  until?: string;
}

/** `gateway keys issue`. */
export async function issueKey(
  email: string,
  options: IssueOptions,
  terms: KeyTerms | undefined,
  now: Clock,
): Promise<void> {
  const { tier, until, store, json } = options;
  const grant = tier || until ? readGrant(tier, until, now()) : undefined;
  const fields = terms?.readFields(options, now()) ?? {};
  const { key, issued } = await withStore(store, (opened) =>
    transact(opened, (transaction) =>
      addNewKey(transaction, { email, ...(grant && { grant }), options: fields, now: now() }),
    ),
  );
  const report = describeKey(issued, now());
  if (json) return printIssued(key, report);
  const end = report.tier === 'pro' && report.pro_until ? ` until ${report.pro_until}` : '';
  print(
    `${key}\n\nThe ${report.browser ? 'browser key' : 'key'} of ${report.email}, ${report.tier}${end}. Send it in the header X-API-Key.` +
      `\nIt is not shown again; it begins with ${report.prefix}.`,
  );
}

/** Prints a key that was just made, as JSON. */
export function printIssued(
  key: string,
  { revoked_at: _, ...report }: KeyReport,
  further: object = {},
): void {
  print(JSON.stringify({ key, ...report, ...further }));
}
