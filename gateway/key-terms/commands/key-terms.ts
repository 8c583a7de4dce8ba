import { CommandError } from '../../../scripts/lib/command-error.ts';
import { keyOfPrefix } from '../../store/accounts/keys.ts';
import {
  describeKey,
  type KeyTerms,
  PREFIX_HELP,
  parsePrefix,
  printIssued,
  refuseUnknown,
} from '../../commands/keys.ts';
import {
  addStoreOptions,
  type Clock,
  print,
  type StoreOptions,
  withStore,
} from '../../commands/store-command.ts';
import { isEnding } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { keyFields, rotate, setKeyOptions } from '../shared/key-changes.ts';
import {
  addBrowserOptions,
  addKeyOptions,
  readDuration,
  readKeyOptions,
  type TypedKeyOptions,
} from './key-options.ts';
import { addShowCommands, keyByPrefix, printKey } from './show-keys.ts';

type SetOptions = StoreOptions & TypedKeyOptions;

/** The options of `gateway keys rotate`. */
export interface RotateOptions extends StoreOptions {
  keep: string;
}

/** What this part adds to `gateway keys`. */
export const TERMS: KeyTerms = {
  addOptions: addKeyOptions,
  readFields: (options: TypedKeyOptions, now) =>
    keyFields(addBrowserOptions(readKeyOptions(options, now), options, undefined, now)),
  addCommands(keys, now) {
    addShowCommands(keys, now);
    addStoreOptions(addKeyOptions(keys.command('set')))
      .description(
        'set the name, expiry, networks or origins of a key; running gateways apply them within a second',
      )
      .argument('<prefix>', PREFIX_HELP)
      .addHelpText('after', SET_EXAMPLES)
      .action((text: string, options: SetOptions) => setKey(text, options, now));
    addStoreOptions(keys.command('rotate'))
      .description(
        'replace a key by one with the same name and networks; the old key continues to work for a while',
      )
      .argument('<prefix>', PREFIX_HELP)
      .option(
        '--keep <duration>',
        'how long the old key continues to work: 30m, 24h, 7d; 0s ends it now',
        '24h',
      )
      .addHelpText('after', ROTATE_EXAMPLES)
      .action((text: string, options: RotateOptions) => rotateKey(text, options, now));
  },
};

const SET_EXAMPLES = `
Examples:
  gateway keys set gdr_k3x7p2qa --name 'discord bot' --expires 2031-01-01
  gateway keys set gdr_k3x7p2qa --networks 203.0.113.7,2001:db8::/48
  gateway keys set gdr_k3x7p2qa --expires never --networks any`;

const ROTATE_EXAMPLES = `
Examples:
  gateway keys rotate gdr_k3x7p2qa                the old key works for another day
  gateway keys rotate gdr_k3x7p2qa --keep 7d
  gateway keys rotate gdr_k3x7p2qa --keep 0s      the old key may have been stolen`;

async function setKey(text: string, options: SetOptions, now: Clock): Promise<void> {
  const { store, json, ...typed } = options;
  const prefix = parsePrefix(text);
  const chosen = readKeyOptions(options, now());
  if (Object.keys(typed).length === 0) {
    const expected = '--name, --expires, --networks, --origins, --per-minute or --per-day';
    throw new CommandError(`nothing to set; expected ${expected}`, 2);
  }
  const change = { by: 'operator', now: now() } as const;
  await withStore(store, async (opened) => {
    await transact(opened, async (transaction) => {
      const before = await keyOfPrefix(transaction, prefix);
      const all = before ? addBrowserOptions(chosen, options, before, now()) : chosen;
      const key = await setKeyOptions(transaction, prefix, all, change);
      return key ?? refuseEnded(opened, prefix, store);
    });
    await printKey(opened, prefix, { store, json }, now());
  });
}

/** `gateway keys rotate`. */
async function rotateKey(text: string, { keep, store, json }: RotateOptions, now: Clock): Promise<void> {
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

/** Reports that a key has ended. @throws CommandError */
export async function refuseEnded(opened: Store, prefix: string, store: string): Promise<never> {
  const { key, account } = (await keyByPrefix(opened, prefix)) ?? refuseUnknown(prefix, store);
  const reason = isEnding(key) ? 'was revoked' : 'has expired';
  throw new CommandError(`${prefix} ${reason}; gateway keys issue ${account.email} makes a new key`);
}
