// What accounts follow, and their alert channels. Accounts are named by their ids.
import { keysOf } from '../../../scripts/format/dist-format.ts';
import { createWebhookSecret } from '../../../scripts/notices/webhook-signature.ts';
import { createToken, FEED_MARK } from '../../access/api-key.ts';
import type { AccountAlerts } from '../../api/route.ts';
import { type AuditedChange, GATEWAY, recordChange } from '../../store/audit.ts';
import { seal, unseal } from '../../store/secrets.ts';
import type { Sql, Store } from '../../store/sql.ts';
import * as chats from './chat/chats.ts';
import type { ChatService } from './message.ts';
import { type AddressPolicy, badAddress, readWebhookUrl } from './post.ts';

export type ChatName = keyof typeof chats;
export const CHATS: Readonly<Record<ChatName, ChatService>> = chats;
/** A channel that has deliveries. All except mail post to an address. */
export type ChannelName = 'webhook' | ChatName | 'mail';
export type ChannelKind = ChannelName | 'feed';

export const CHANNELS: readonly ChannelName[] = ['webhook', ...keysOf(CHATS), 'mail'];
export const KINDS: readonly ChannelKind[] = [...CHANNELS, 'feed'];

/** Returns whether a channel posts to an address. */
export const isPosted = (channel: ChannelKind): boolean => channel !== 'mail' && channel !== 'feed';

/** Returns the chat service of a channel; undefined for other channels. */
export const chatOf = (channel: ChannelKind) => Object.entries(CHATS).find(([name]) => name === channel)?.[1];

/** What an account may follow, besides a game by its slug. No slug has an underscore. */
export const ALL_GAMES = 'all_games';
export const NEW_GAMES = 'new_games';

/** A row of `channels`. `shown` is the beginning of the address, which is not a secret. */
export interface ChannelRow {
  account: string;
  kind: ChannelKind;
  sealed_address: string | null;
  shown: string | null;
  sealed_secret: string | null;
  disabled_at: number | null;
  disabled_reason: string | null;
}

/** The topics that an account follows, sorted, and its channels. An account without Pro keeps them, but gets no alerts. */
export interface Subscription {
  follows: readonly string[];
  channels: Partial<Record<ChannelKind, ChannelRow>>;
}

export async function readSubscription(sql: Sql, account: string): Promise<Subscription> {
  const rows = await sql.all<ChannelRow>('SELECT * FROM channels WHERE account = $1', [account]);
  const channels = Object.fromEntries(rows.map((row) => [row.kind, row]));
  const topics = await sql.all<{ topic: string }>('SELECT topic FROM follows WHERE account = $1', [account]);
  return { follows: topics.map(({ topic }) => topic).sort(), channels };
}

/** Returns the channels that are on and have deliveries. @param only the one that is wanted; all without it */
export function channelsOf({ channels }: Subscription, only?: string): ChannelName[] {
  return CHANNELS.filter((each) => channels[each]?.disabled_at === null && (only ?? each) === each);
}

/** Reads an account's alert settings as the API returns them. */
export async function readAlerts(store: Store, account: string): Promise<AccountAlerts> {
  const { follows, channels } = await readSubscription(store.fast, account);
  const stateOf = (row: ChannelRow | undefined) =>
    row === undefined ? 'off' : row.disabled_at === null ? 'on' : 'disabled';
  return { follows, channels: Object.fromEntries(KINDS.map((kind) => [kind, stateOf(channels[kind])])) };
}

/** Follows some topics and unfollows others; each has the form of one. */
export async function changeFollows(
  store: Store,
  account: string,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<void> {
  await store.transaction(async (sql) => {
    for (const topic of remove)
      await sql.run('DELETE FROM follows WHERE account = $1 AND topic = $2', [account, topic]);
    const statement = 'INSERT INTO follows (account, topic) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    for (const topic of add) await sql.run(statement, [account, topic]);
  });
}

/** Whose channel is changed, and by whom. */
type Owner = Pick<AuditedChange, 'account' | 'actor'>;

/**
 * Turns a channel on, also one that is disabled. One that posts gets an address; a webhook keeps its secret. A feed gets a new address, and the
 * previous one stops working.
 *
 * @returns the path of a feed, which is not stored and cannot be shown again
 * @throws InputError
 */
export async function setChannel(
  store: Store,
  { account, actor }: Owner,
  kind: ChannelKind,
  { address, policy }: { address: string; policy: AddressPolicy },
): Promise<string | undefined> {
  const posted = isPosted(kind) ? readAddress(kind, address, policy) : undefined;
  const feed = kind === 'feed' ? createToken(FEED_MARK) : undefined;
  await store.transaction(async (sql) => {
    const secret = kind === 'webhook' ? seal(sql, createWebhookSecret(), account) : null;
    const sealed = posted ? seal(sql, posted.url, account) : null;
    await sql.run(
      `INSERT INTO channels (account, kind, sealed_address, shown, sealed_secret, hash)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account, kind) DO UPDATE
       SET sealed_address = excluded.sealed_address, shown = excluded.shown, hash = excluded.hash, disabled_at = NULL`,
      [account, kind, sealed, posted?.shown ?? null, secret, feed?.hash ?? null],
    );
    if (feed) await recordChange(sql, { account, event: 'feed.renewed', actor });
    if (posted) await recordChange(sql, { account, event: 'webhook.set', about: posted.about, actor });
  });
  return feed && `/feeds/${feed.token}`;
}

/** @throws InputError */
function readAddress(kind: ChannelKind, address: string, policy: AddressPolicy) {
  if (address.includes('…'))
    throw badAddress('it is shortened, as the page shows it; expected the whole address');
  const { href: url, host, origin } = readWebhookUrl(address, policy);
  const chat = chatOf(kind);
  if (chat === undefined) return { url, shown: `${origin}/…`, about: host };
  const [, start] = chat.address.exec(url) ?? [];
  if (start !== undefined) return { url, shown: `${start}…`, about: chat.label };
  throw badAddress(`it is not that of a webhook of ${chat.label}; expected ${chat.form}`);
}

/** Turns a channel off, and forgets its address. */
export async function removeChannel(store: Store, { account, actor }: Owner, kind: ChannelKind) {
  await store.transaction(async (sql) => {
    const removed = await sql.run('DELETE FROM channels WHERE account = $1 AND kind = $2', [account, kind]);
    const event = kind === 'feed' ? 'feed.removed' : 'webhook.removed';
    if (removed > 0 && kind !== 'mail')
      await recordChange(sql, { account, event, about: chatOf(kind)?.label ?? null, actor });
  });
}

/** Returns the secret that signs a webhook's events; undefined for other channels. */
export function readSecret(sql: Sql, { sealed_secret, account }: ChannelRow): string | undefined {
  return sealed_secret === null ? undefined : unseal(sql, sealed_secret, account);
}

/** Disables a channel whose receiver reported that it was removed, unless the address has changed since. */
export async function disableChannel(
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
