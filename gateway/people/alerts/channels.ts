// What accounts follow, and their alert channels. Accounts are named by their ids.
import { keysOf, SLUG } from '../../../scripts/format/dist-format.ts';
import { createWebhookSecret } from '../../../scripts/notices/webhook-signature.ts';
import { createToken, FEED_MARK } from '../../access/api-key.ts';
import type { AccountAlerts } from '../../api/route.ts';
import type { View } from '../../data/catalog.ts';
import { InputError } from '../../http/problem.ts';
import { type Actor, GATEWAY, recordChange } from '../../store/audit.ts';
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

export const POST_CHANNELS: readonly ChannelName[] = ['webhook', ...keysOf(CHATS)];
export const CHANNELS: readonly ChannelName[] = [...POST_CHANNELS, 'mail'];
export const KINDS: readonly ChannelKind[] = [...CHANNELS, 'feed'];

/** Returns the chat service of a channel; undefined for other channels. */
export function chatOf(channel: ChannelKind): ChatService | undefined {
  return Object.hasOwn(CHATS, channel) ? CHATS[channel as ChatName] : undefined;
}

/** What an account may follow: a game by its slug, `all_games`, or `new_games`. No slug has an underscore. */
export type Topic = string;
export const ALL_GAMES: Topic = 'all_games';
export const NEW_GAMES: Topic = 'new_games';

/** A row of `channels`. `shown` is the address; for a chat service, without the secret at its end. */
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
  follows: readonly Topic[];
  channels: Partial<Record<ChannelKind, ChannelRow>>;
}

export async function readSubscription(sql: Sql, account: string): Promise<Subscription> {
  const rows = await sql.all<ChannelRow>('SELECT * FROM channels WHERE account = $1', [account]);
  const channels = Object.fromEntries(rows.map((row) => [row.kind, row]));
  return { follows: await readFollows(sql, account), channels };
}

async function readFollows(sql: Sql, account: string): Promise<Topic[]> {
  const rows = await sql.all<{ topic: Topic }>('SELECT topic FROM follows WHERE account = $1', [account]);
  return rows.map(({ topic }) => topic).sort();
}

/** Returns the channels that are on and have deliveries. @param only the one that is wanted; all without it */
export function channelsOf({ channels }: Subscription, only?: string): ChannelName[] {
  return CHANNELS.filter(
    (each) => channels[each]?.disabled_at === null && (only === undefined || each === only),
  );
}

/** Reads an account's alert settings as the API returns them. */
export async function readAlerts(
  store: Store,
  account: string,
  view: Pick<View, 'games' | 'lost'>,
): Promise<AccountAlerts> {
  const { follows, channels } = await readSubscription(store.fast, account);
  const stateOf = (row: ChannelRow | undefined) =>
    row === undefined ? 'off' : row.disabled_at === null ? 'on' : 'disabled';
  const states = KINDS.map((kind) => [kind, stateOf(channels[kind])]);
  return { follows: follows.filter((topic) => isSeen(topic, view)), channels: Object.fromEntries(states) };
}

/** Follows some topics and unfollows others; `isTopic` must accept each. @returns all topics that are followed now */
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
    return await readFollows(sql, account);
  });
}

/** Whose channel is changed, and by whom. */
interface Owner {
  account: string;
  actor: Actor;
}

/**
 * Turns a channel on. One that posts gets an address, and is enabled; a webhook keeps its secret. A feed gets a new address, and the previous one stops
 * working.
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
  const posted = POST_CHANNELS.some((each) => each === kind) ? readAddress(kind, address, policy) : undefined;
  const feed = kind === 'feed' ? createToken(FEED_MARK) : undefined;
  await store.transaction(async (sql) => {
    const secret = kind === 'webhook' ? seal(sql, createWebhookSecret(), account) : null;
    const sealed = posted ? seal(sql, posted.url, account) : null;
    await sql.run(
      `INSERT INTO channels (account, kind, created_at, sealed_address, shown, sealed_secret, hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account, kind) DO UPDATE
       SET sealed_address = excluded.sealed_address, shown = excluded.shown, hash = excluded.hash, disabled_at = NULL`,
      [account, kind, sql.now(), sealed, posted?.shown ?? null, secret, feed?.hash ?? null],
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
  const { href: url, host } = readWebhookUrl(address, policy);
  const chat = chatOf(kind);
  if (chat === undefined) return { url, shown: url, about: host };
  const [, start] = chat.address.exec(url) ?? [];
  if (start !== undefined) return { url, shown: `${start}…`, about: chat.label };
  throw badAddress(`it is not that of a webhook of ${chat.label}; expected ${chat.form}`);
}

/** The changes to a channel: the event in the log, and the statement. */
const CHANGES = {
  remove: ['removed', 'DELETE FROM channels'],
  enable: ['enabled', 'UPDATE channels SET disabled_at = NULL'],
} as const;
export type ChannelChange = keyof typeof CHANGES;

/** Returns the changes that a channel can have: only those that post can be disabled. */
export function changesOf(channel: ChannelKind): ChannelChange[] {
  return POST_CHANNELS.some((each) => each === channel) ? ['remove', 'enable'] : ['remove'];
}

/** Changes a channel. @throws InputError if there is no such channel */
export async function changeChannel(
  store: Store,
  { account, actor }: Owner,
  channel: ChannelKind,
  what: ChannelChange,
): Promise<void> {
  const [verb, statement] = CHANGES[what];
  const label = chatOf(channel)?.label ?? null;
  await store.transaction(async (sql) => {
    const changed = await sql.run(`${statement} WHERE account = $1 AND kind = $2`, [account, channel]);
    if (changed === 0 && what !== 'remove')
      throw new InputError(`the account has no webhook${label ? ` of ${label}` : ''}; set its address first`);
    const event = `${channel === 'feed' ? 'feed' : 'webhook'}.${verb}`;
    if (channel !== 'mail') await recordChange(sql, { account, event, about: label, actor });
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

const SLUG_FORM = new RegExp(SLUG);

/** Returns whether a text has the form of a topic; the game need not exist. */
export function isTopic(text: string): boolean {
  return text === ALL_GAMES || text === NEW_GAMES || SLUG_FORM.test(text);
}

/** Returns whether an account can see a topic: true unless it is a game outside its view. */
export function isSeen(topic: Topic, { games, lost }: Pick<View, 'games' | 'lost'>): boolean {
  return topic === ALL_GAMES || topic === NEW_GAMES || games.has(topic) || lost.has(topic);
}
