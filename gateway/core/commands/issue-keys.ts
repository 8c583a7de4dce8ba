import { CommandError } from '../../../scripts/core/lib/command-error.ts';
import { addNewKey } from '../accounts/accounts.ts';
import { keyFields, rotate } from '../../shared/key-terms/key-changes.ts';
import type { Tier } from '../plans/account.ts';
import { transact } from '../store/transaction.ts';
import { describeKey, type KeyReport } from './describe-key.ts';
import { readGrant } from './grant.ts';
import { addBrowserOptions, readKeyOptions, type TypedKeyOptions } from '../../parts/key-terms/commands/key-options.ts';
import { parsePrefix, refuseEnded } from './name-key.ts';
import { type Clock, print, type StoreOptions, withStore } from './store-command.ts';
import { readDuration } from './times.ts';

/** The options of `gateway keys issue`. */
export interface IssueOptions extends StoreOptions, TypedKeyOptions {
  tier?: Tier;
  until?: string;
}

/** The options of `gateway keys rotate`. */
export interface RotateOptions extends StoreOptions {
  keep: string;
}

/** `gateway keys issue`. */
export async function issueKey(email: string, options: IssueOptions, now: Clock): Promise<void> {
  const { tier, until, store, json } = options;
  const grant = tier || until ? readGrant(tier, until, now()) : undefined;
  const chosen = readKeyOptions(options, now());
  const fields = keyFields(addBrowserOptions(chosen, options, undefined, now()));
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

/** `gateway keys rotate`. */
export async function rotateKey(
  text: string,
  { keep, store, json }: RotateOptions,
  now: Clock,
): Promise<void> {
  const prefix = parsePrefix(text);
  const duration = readDuration(keep);
  if (duration === undefined) {
    throw new CommandError(
      `--keep ${JSON.stringify(keep)} is not a duration; expected one such as 30m, 24h or 7d`,
      2,
    );
  }
  const change = { keep: duration, by: 'operator', now: now() } as const;
  const { key, issued, replaced } = await withStore(store, (opened) =>
    transact(opened, async (transaction) => {
      const rotation = await rotate(transaction, prefix, change);
      return rotation ?? refuseEnded(opened, prefix, store);
    }),
  );
  const report = describeKey(issued, now());
  const end = replaced.revoked_at;
  if (json) return printIssued(key, report, { replaces: { prefix, revoked_at: end } });
  print(
    `${key}\n\nThe new key of ${report.email}. It replaces ${prefix}, which works until ${end}.` +
      `\nIt is not shown again; it begins with ${report.prefix}.`,
  );
}

function printIssued(key: string, { revoked_at: _, ...report }: KeyReport, further: object = {}): void {
  print(JSON.stringify({ key, ...report, ...further }));
}
