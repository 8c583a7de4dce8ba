import { Command, InvalidArgumentError, Option } from 'commander';
import { readInstant } from '../../scripts/read/schema.ts';
import { CommandError } from '../../scripts/system.ts';
import { type IssuedKey, isEnding, isRevoked, type Key, type Tier, tierAt } from '../access/account.ts';
import { readPrefix } from '../access/api-key.ts';
import * as options from '../access/key-options.ts';
import { grantTier, toIso } from '../store/accounts.ts';
import { OPERATOR } from '../store/audit.ts';
import { issueKey, type KeyFields, keyOfPrefix, listKeys, revokeKey, setFields } from '../store/keys.ts';
import type { Sql, Store } from '../store/sql.ts';
import { addCommand, parseEmail, type Report, reportList, reportOn } from './store.ts';

/** `gateway keys`: issues, changes and revokes keys, also while gateways use the store. */
export function keysCommand(): Command {
  const keys = new Command('keys').description('issue, list, show, set, revoke and rotate API keys');
  addCommand<TypedOptions & { tier?: Tier; until?: string }>(keys, 'issue', {
    about: 'issue a key to an email address, and print it once',
    args: [
      ['<email>', 'the email address of the account; all keys of an account share its tier', parseEmail],
    ],
    options: [
      ...keyOptions(),
      new Option('--tier <tier>', 'the tier of the account; by default unchanged').choices(['free', 'pro']),
      untilOption(),
    ],
    examples: [
      "ada@example.org                                  a free key, or another key of Ada's account",
      'ada@example.org --tier pro --until 2031-01-01    Pro until the end of 2030',
      'ada@example.org --name ci --expires 90d          a key that ends after 90 days',
      'ada@example.org --origins https://example.org    a browser key for the pages there',
    ],
    async run(store, { tier, until, ...typed }, email: string) {
      const grant = tier || until ? readGrant(tier, until) : undefined;
      const fields = readOptions(typed);
      const { key, issued } = await store.transaction(async (sql) => {
        const made = await issueKey(sql, email, OPERATOR, fields);
        if (grant) await grantTier(sql, made.issued.account.id, grant);
        return { key: made.key, issued: await findIssued(sql, store, made.issued.key.prefix) };
      });
      const { tier: has, pro_until, browser } = describeKey(issued);
      const end = has === 'pro' && pro_until ? ` until ${pro_until}` : '';
      const what = `The ${browser ? 'browser key' : 'key'} of ${email}, ${has}${end}. Send it in the header X-API-Key.`;
      return reportIssued(key, issued, what);
    },
  });
  addCommand(keys, 'list', {
    about: 'list all keys, the oldest first',
    async run(store) {
      const json = (await listKeys(store)).map((issued) => describeKey(issued));
      const shown = json.map(({ browser: _, ...report }) => report);
      return { ...reportList(shown, 'no keys yet; gateway keys issue <email> makes one'), json };
    },
  });
  addCommand(keys, 'show', {
    about: 'show one key',
    args: [PREFIX],
    run: async (store, _, prefix: string) => reportOn(describeKey(await findIssued(store, store, prefix))),
  });
  addCommand<TypedOptions>(keys, 'set', {
    about: 'set the name, expiry or origins of a key; running gateways apply them within a second',
    args: [PREFIX],
    options: keyOptions(),
    examples: ["gdr_k3x7p2qa --name 'discord bot' --expires 2031-01-01", 'gdr_k3x7p2qa --expires never'],
    async run(store, { store: _, json: __, ...typed }, prefix: string) {
      const changed = await change(store, prefix, async (sql, key) => {
        await setFields(sql, key, readOptions(typed, key), OPERATOR);
        return await findIssued(sql, store, prefix);
      });
      return reportOn(describeKey(changed));
    },
  });
  addCommand<{ keep: number }>(keys, 'rotate', {
    about: 'replace a key by one with the same name; the old key continues to work for a while',
    args: [PREFIX],
    options: [
      new Option('--keep <duration>', 'how long the old key continues to work: 30m, 24h, 7d; 0s ends it now')
        .argParser(parseDuration)
        .default(UNITS.d, '24h'),
    ],
    examples: ['gdr_k3x7p2qa --keep 7d', 'gdr_k3x7p2qa --keep 0s      the old key may have been stolen'],
    async run(store, { keep }, prefix: string) {
      const { key, issued, replaced } = await change(store, prefix, (sql, old) =>
        options.rotate(sql, old, keep, OPERATOR),
      );
      const { revoked_at } = replaced;
      const what = `The new key of ${issued.account.email}. It replaces ${prefix}, which works until ${revoked_at}.`;
      return reportIssued(key, issued, what, { replaces: { prefix, revoked_at } });
    },
  });
  addCommand(keys, 'revoke', {
    about: 'revoke a key permanently; running gateways refuse it within a second',
    args: [PREFIX],
    async run(store, _, prefix: string) {
      const issued = await store.transaction(async (sql) => {
        await revokeKey(sql, prefix, OPERATOR);
        return await findIssued(sql, store, prefix);
      });
      const { revoked_at } = issued.key;
      const text = `${prefix} of ${issued.account.email} is revoked since ${revoked_at}`;
      return { text, json: { ...describeKey(issued), revoked_at } };
    },
  });
  return keys;
}

/** Changes a key in a transaction. @throws CommandError if it has ended */
async function change<T>(store: Store, prefix: string, work: (sql: Sql, key: Key) => Promise<T>): Promise<T> {
  return await store.transaction(async (sql) => {
    const { key, account } = await findIssued(sql, store, prefix);
    if (!isRevoked(key, sql.now())) return await work(sql, key);
    const reason = isEnding(key) ? 'was revoked' : 'has expired';
    const hint = `gateway keys issue ${account.email} makes a new key`;
    throw new CommandError(`${prefix} ${reason}; ${hint}`);
  });
}

async function findIssued(sql: Sql, store: Store, prefix: string): Promise<IssuedKey> {
  const issued = await keyOfPrefix(sql, prefix);
  if (issued !== undefined) return issued;
  throw new CommandError(`no key ${prefix} in the store ${store.name}; gateway keys list shows all keys`);
}

const PREFIX = ['<prefix>', 'the key, or its beginning: gdr_ and 8 characters', parsePrefix] as const;

/** Parses the prefix of a key. Errors do not quote the text: it may be a complete key with a typing error. */
function parsePrefix(text: string): string {
  const prefix = readPrefix(text.trim());
  if (prefix !== undefined) return prefix;
  throw new CommandError(
    'this is not a key or the beginning of one; expected gdr_ and 8 characters of a-z and 2-7, as gateway keys list shows it',
    2,
  );
}

function keyOptions(): Option[] {
  return Object.entries({
    '--name <text>': `what the key is for, at most ${options.MAX_NAME_CHARS} characters; '' removes the name`,
    '--expires <time>': `when the key stops working: ${TIMES}; never removes it`,
    '--origins <list>': `makes a browser key, which works only on pages of these origins: at most ${options.MAX_ORIGINS} such as https://example.org, separated by commas`,
    '--per-minute <count>': `how many requests a browser key may send in any 60 seconds (default: ${options.DEFAULT_BROWSER_LIMITS.minute})`,
    '--per-day <count>': `how many requests a browser key may send in a UTC day (default: ${options.DEFAULT_BROWSER_LIMITS.day})`,
  }).map(([flags, about]) => new Option(flags, about));
}

/** The options as they were typed. */
type TypedOptions = { [Name in 'name' | 'expires' | 'origins' | 'perMinute' | 'perDay']?: string };

/** @param key the key to change; undefined for a new one @throws CommandError, InputError */
function readOptions(typed: TypedOptions, key?: Key): KeyFields {
  const { name, expires, origins, perMinute: minute, perDay: day } = typed;
  const end = expires === undefined || expires === 'never' ? null : readFuture('--expires', expires);
  const fields: KeyFields = {
    ...(name !== undefined && { name: options.readKeyName(name) }),
    ...(expires !== undefined && { expires_at: end === null ? undefined : toIso(end) }),
  };
  const hasTerms = [origins, minute, day].some((each) => each !== undefined);
  if (key && Object.keys(typed).length === 0)
    throw new CommandError(
      'nothing to set; expected --name, --expires, --origins, --per-minute or --per-day',
      2,
    );
  if (key ? key.browser : origins !== undefined) {
    if (hasTerms) fields.browser = options.readBrowserTerms({ origins, minute, day }, key?.browser);
    if (!key || expires !== undefined)
      fields.expires_at = options.readBrowserEnd(expires === undefined ? undefined : end, Date.now());
  } else if (hasTerms)
    throw new CommandError(
      key
        ? `${key.prefix} is not a browser key, and cannot become one; gateway keys issue <email> --origins <list> makes one`
        : '--per-minute and --per-day are limits of a browser key; add --origins to make one',
      2,
    );
  return fields;
}

const TIMES = 'ISO 8601 with a zone, a date for 00:00 UTC, or a duration such as 90d';

/** Reads a time in the future, as ms since 1970. @throws CommandError */
function readFuture(option: string, text: string): number {
  const now = Date.now();
  const duration = readDuration(text);
  const time = duration === undefined ? Date.parse(readInstant(text) ?? '') : now + duration;
  if (time > now) return time;
  const fault = Number.isNaN(time) ? 'is not a time' : 'has passed';
  throw new CommandError(
    `${option} ${JSON.stringify(text)} ${fault}; expected one in the future: ${TIMES}`,
    2,
  );
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `90s`, `30m`, `24h` or `7d`. @returns ms; undefined if it is not a duration */
function readDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit as keyof typeof UNITS];
}

function parseDuration(text: string): number {
  const duration = readDuration(text);
  if (duration !== undefined) return duration;
  throw new InvalidArgumentError('expected a duration such as 30m, 24h or 7d.');
}

function reportIssued(key: string, issued: IssuedKey, what: string, further: object = {}): Report {
  const { revoked_at: _, ...report } = describeKey(issued);
  const text = `${key}\n\n${what}\nIt is not shown again; it begins with ${report.prefix}.`;
  return { text, json: { key, ...report, ...further } };
}

/** The option for the end of Pro. */
export const untilOption = () => new Option('--until <time>', `when Pro ends; by default never: ${TIMES}`);

/** Reads the tier that an operator grants. @throws CommandError if `until` is not in the future, or is set without Pro */
export function readGrant(tier: Tier | undefined, until: string | undefined) {
  if (until === undefined) return { tier: tier ?? 'free', pro_until: null };
  if (tier !== 'pro') throw new CommandError('--until says when Pro ends, so it needs the tier pro', 2);
  return { tier, pro_until: toIso(readFuture('--until', until)) };
}

/** Describes a key and its account. `revoked_at` is also the end after a rotation; `browser` is null for a key that is not a browser key. */
export function describeKey({ key, account }: IssuedKey) {
  return {
    prefix: key.prefix,
    email: account.email,
    tier: tierAt(account, Date.now()),
    pro_until: account.pro_until,
    created_at: key.created_at,
    revoked_at: isEnding(key) ? key.revoked_at : null,
    name: key.name ?? null,
    expires_at: key.expires_at ?? null,
    browser: key.browser ? { origins: key.browser.origins, limits: key.browser.limits ?? null } : null,
  };
}
