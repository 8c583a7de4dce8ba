// What accounts follow, and their alert channels. Accounts are named by their ids.
import { keysOf, SLUG } from '../../../scripts/format/dist-format.ts';
import { createWebhookSecret } from '../../../scripts/notices/webhook-signature.ts';
import { createToken, FEED_MARK } from '../../access/api-key.ts';
import type { AccountAlerts } from '../../api/route.ts';
import type { View } from '../../data/catalog.ts';
import { InputError } from '../../http/problem.ts';
import { toIso } from '../../store/accounts.ts';
import { type Actor, GATEWAY, recordChange } from '../../store/audit.ts';
import { seal, unseal } from '../../store/secrets.ts';
import type { Sql, Store } from '../../store/sql.ts';
import { discord } from './chat/discord.ts';
import { slack } from './chat/slack.ts';
import { telegram } from './chat/telegram.ts';
import type { ChatService } from './message.ts';
import { AddressError, type AddressPolicy, readWebhookUrl } from './post.ts';

export const CHATS = { discord, slack, telegram } satisfies Record<string, ChatService>;
export type ChatName = keyof typeof CHATS;
/** A channel that posts to an address. */
export type PostChannel = 'webhook' | ChatName;
/** A channel that has deliveries. */
export type ChannelName = PostChannel | 'mail';

export const SERVICES = keysOf(CHATS);
export const POST_CHANNELS: readonly PostChannel[] = ['webhook', ...SERVICES];
export const CHANNELS: readonly ChannelName[] = [...POST_CHANNELS, 'mail'];

/** What an account may follow: a game by its slug, `all_games`, or `new_games`. No slug has an underscore. */
export type Topic = string;
export const ALL_GAMES: Topic = 'all_games';
export const NEW_GAMES: Topic = 'new_games';
/** How many topics an account can follow. */
const MAX_FOLLOWS = 500;
/** How long the earlier secret is valid after a secret was renewed. */
const OVERLAP_MS = 86_400_000;

/** A row of `channels`. `shown` is the address; for a chat service, without the secret at its end. */
export interface ChannelRow {
  account: string;
  kind: ChannelName | 'feed';
  sealed_address: string | null;
  shown: string | null;
  sealed_secret: string | null;
  sealed_earlier: string | null;
  earlier_until: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
}

/** The topics that an account follows, sorted, and its channels. An account without Pro keeps them, but gets no alerts. */
export interface Subscription {
  follows: readonly Topic[];
  channels: Partial<Record<ChannelRow['kind'], ChannelRow>>;
}

export async function readSubscription(sql: Sql, account: string): Promise<Subscription> {
  const rows = await sql.all<ChannelRow>('SELECT * FROM channels WHERE account = $1 ORDER BY kind', [
    account,
  ]);
  const channels = Object.fromEntries(rows.map((row) => [row.kind, row]));
  return { follows: await readFollows(sql, account), channels };
}

async function readFollows(sql: Sql, account: string): Promise<Topic[]> {
  const rows = await sql.all<{ topic: Topic }>('SELECT topic FROM follows WHERE account = $1', [account]);
  return rows.map(({ topic }) => topic).sort();
}

export function channelsOf({ channels }: Subscription): ChannelName[] {
  return CHANNELS.filter((channel) => channels[channel]?.disabled_at === null);
}

/** When and why a channel was disabled; null while it is enabled. */
export function disabledOf({ disabled_at, disabled_reason: reason }: ChannelRow) {
  return disabled_at === null ? null : { at: toIso(disabled_at), reason: reason ?? '' };
}

/** Reads an account's alert settings as the API returns them. */
export async function readAlerts(
  store: Store,
  account: string,
  view: Pick<View, 'games' | 'lost'>,
): Promise<AccountAlerts> {
  const { follows, channels } = await readSubscription(store.fast, account);
  const states = [...CHANNELS, 'feed' as const].map((kind) => {
    const row = channels[kind];
    return [kind, row === undefined ? 'off' : row.disabled_at === null ? 'on' : 'disabled'];
  });
  return {
    follows: follows.filter((topic) => isSeen(topic, view)),
    channels: Object.fromEntries(states) as AccountAlerts['channels'],
  };
}

/** Gathers an account's alert settings for an export, without the secrets of webhooks. */
export async function exportAlerts(sql: Sql, account: string): Promise<object> {
  const { follows, channels } = await readSubscription(sql, account);
  const exported = POST_CHANNELS.map((channel) => {
    const row = channels[channel];
    const until = row && (readSecrets(sql, row)?.earlier?.until ?? null);
    const secret = channel === 'webhook' && { earlier_secret_until: until };
    return [channel, row ? { url: row.shown, disabled: disabledOf(row), ...secret } : null];
  });
  return {
    ...{ follows, mail: channels.mail !== undefined, feed: channels.feed !== undefined },
    ...Object.fromEntries(exported),
  };
}

/** Follows some topics and unfollows others; `isTopic` must accept each. @returns all topics that are followed now @throws InputError */
export async function changeFollows(
  store: Store,
  account: string,
  { add = [], remove = [] }: { add?: readonly Topic[]; remove?: readonly Topic[] },
): Promise<Topic[]> {
  return await store.transaction(async (sql) => {
    for (const topic of remove)
      await sql.run('DELETE FROM follows WHERE account = $1 AND topic = $2', [account, topic]);
    const statement = 'INSERT INTO follows (account, topic) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    for (const topic of add) await sql.run(statement, [account, topic]);
    const follows = await readFollows(sql, account);
    if (follows.length <= MAX_FOLLOWS) return follows;
    throw new InputError(
      `an account can follow at most ${MAX_FOLLOWS} topics, and these would be ${follows.length}; follow all_games instead`,
    );
  });
}

/**
 * Sets the address of a channel, and enables the channel. An address of a chat service becomes the channel of that service. The webhook keeps its
 * secret.
 *
 * @returns the channel that got the address
 * @throws AddressError
 */
export async function setAddress(
  store: Store,
  account: string,
  address: string,
  { channel, policy, actor }: { channel: PostChannel; policy: AddressPolicy; actor: Actor },
): Promise<PostChannel> {
  if (address.includes('…'))
    throw new AddressError('it is shortened, as the page shows it; expected the whole address');
  const url = readWebhookUrl(address, policy);
  const service = SERVICES.find((each) => CHATS[each].hosts.includes(url.host));
  const [, start] = (service && CHATS[service].path.exec(url.pathname + url.search)) || [];
  const isOther = service !== undefined && start === undefined && CHATS[service].hasOthers;
  const kind = isOther ? channel : (service ?? channel);
  if (kind !== 'webhook' && start === undefined) {
    const { label, expected } = CHATS[kind];
    throw new AddressError(`it is not that of a webhook of ${label}; expected ${expected}`);
  }
  const shown = start === undefined ? url.href : `${url.origin}${start}…`;
  await store.transaction(async (sql) => {
    const about = kind === 'webhook' ? url.host : CHATS[kind].label;
    await recordChange(sql, { account, event: 'webhook.set', about, actor });
    const secret = kind === 'webhook' ? seal(sql, createWebhookSecret(), account) : null;
    await sql.run(
      `INSERT INTO channels (account, kind, created_at, sealed_address, shown, sealed_secret) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (account, kind) DO UPDATE SET sealed_address = excluded.sealed_address, shown = excluded.shown, disabled_at = NULL`,
      [account, kind, sql.now(), seal(sql, url.href, account), shown, secret],
    );
  });
  return kind;
}

/**
 * The changes to a channel that has an address: their entries in the log, and their statements, whose first values are the account and the channel.
 */
const CHANGES = {
  enable: ['webhook.enabled', 'UPDATE channels SET disabled_at = NULL'],
  remove: ['webhook.removed', 'DELETE FROM channels'],
  secret: [
    'webhook.secret-renewed',
    'UPDATE channels SET sealed_earlier = sealed_secret, earlier_until = $3, sealed_secret = $4',
  ],
  'end-earlier': ['webhook.secret-ended', 'UPDATE channels SET sealed_earlier = NULL, earlier_until = NULL'],
} as const;
export type HookChange = keyof typeof CHANGES;
/** The first two are for every channel, the others for a webhook, which has secrets. */
export const HOOK_CHANGES = keysOf(CHANGES);

/**
 * Changes a channel. After a renewal, the earlier secret stays valid for a day, so that the receiver has time to change.
 *
 * @throws InputError if there is no such channel, or the previous renewal was less than a day ago
 */
export async function changeHook(
  store: Store,
  account: string,
  { channel, what, actor }: { channel: PostChannel; what: HookChange; actor: Actor },
): Promise<void> {
  const [event, statement] = CHANGES[what];
  const label = channel === 'webhook' ? null : CHATS[channel].label;
  await store.transaction(async (sql) => {
    const before = (await readSubscription(sql, account)).channels[channel];
    const until = what === 'secret' && before && readSecrets(sql, before)?.earlier?.until;
    if (until)
      throw new InputError(
        `the secret was renewed already, and the earlier one is valid until ${until}; end the earlier one first`,
      );
    const secret =
      what === 'secret' ? [sql.now() + OVERLAP_MS, seal(sql, createWebhookSecret(), account)] : [];
    await sql.run(`${statement} WHERE account = $1 AND kind = $2`, [account, channel, ...secret]);
    if (before === undefined && what !== 'remove')
      throw new InputError(`the account has no webhook${label ? ` of ${label}` : ''}; set its address first`);
    await recordChange(sql, { account, event, about: label, actor });
  });
}

/** The secrets that sign a webhook's events. */
export interface WebhookSecrets {
  current: string;
  /** The secret before the last renewal, and until when it signs too (ISO 8601 UTC); undefined after that time. */
  earlier: { secret: string; until: string } | undefined;
}

/** @returns undefined for channels other than webhooks */
export function readSecrets(sql: Sql, row: ChannelRow): WebhookSecrets | undefined {
  const open = (sealed: string | null) => (sealed === null ? undefined : unseal(sql, sealed, row.account));
  const current = open(row.sealed_secret);
  if (current === undefined) return undefined;
  const until = row.earlier_until ?? 0;
  const secret = until > sql.now() ? open(row.sealed_earlier) : undefined;
  return { current, earlier: secret === undefined ? undefined : { secret, until: toIso(until) } };
}

/** Disables a channel whose receiver reported that it was removed, unless the address has changed since. */
export async function disableHook(
  sql: Sql,
  { account, kind, shown, sealed_address }: ChannelRow,
  reason: string,
): Promise<void> {
  const disabled = await sql.run(
    `UPDATE channels SET disabled_at = $1, disabled_reason = $2
     WHERE account = $3 AND kind = $4 AND sealed_address = $5 AND disabled_at IS NULL`,
    [sql.now(), reason, account, kind, sealed_address],
  );
  if (disabled === 0) return;
  const about = `${new URL(shown ?? '').host}, because ${reason}`;
  await recordChange(sql, { account, event: 'webhook.disabled', about, actor: GATEWAY });
}

/** Turns alerts by mail on or off. */
export async function setMail(sql: Sql, account: string, isOn: boolean): Promise<void> {
  const insert =
    'INSERT INTO channels (account, kind, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
  if (isOn) await sql.run(insert, [account, 'mail', sql.now()]);
  else await sql.run("DELETE FROM channels WHERE account = $1 AND kind = 'mail'", [account]);
}

/** Gives an account's feed a new address; the previous one stops working. @returns the token, which is not stored and cannot be shown again */
export async function renewFeed(store: Store, account: string, actor: Actor): Promise<string> {
  const { token, hash } = createToken(FEED_MARK);
  await store.transaction(async (sql) => {
    await sql.run(
      `INSERT INTO channels (account, kind, created_at, hash) VALUES ($1, 'feed', $2, $3)
       ON CONFLICT (account, kind) DO UPDATE SET hash = excluded.hash`,
      [account, sql.now(), hash],
    );
    await recordChange(sql, { account, event: 'feed.renewed', actor });
  });
  return token;
}

export async function removeFeed(store: Store, account: string, actor: Actor): Promise<void> {
  await store.transaction(async (sql) => {
    await sql.run("DELETE FROM channels WHERE account = $1 AND kind = 'feed'", [account]);
    await recordChange(sql, { account, event: 'feed.removed', actor });
  });
}

const SLUG_FORM = new RegExp(SLUG);

/** Returns whether a text has the form of a topic; the game need not exist. */
export function isTopic(text: string): boolean {
  return text === ALL_GAMES || text === NEW_GAMES || SLUG_FORM.test(text);
}

/** Returns whether an account can see a topic: true unless it is a game outside its view. */
export function isSeen(topic: Topic, { games, lost }: Pick<View, 'games' | 'lost'>): boolean {
  return topic === ALL_GAMES || topic === NEW_GAMES || games.has(topic) || lost.has(topic);
}
