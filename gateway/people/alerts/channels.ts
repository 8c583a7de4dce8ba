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
import * as chats from './chat/chats.ts';
import type { ChatService } from './message.ts';
import { type AddressPolicy, badAddress, readWebhookUrl } from './post.ts';

export type ChatName = keyof typeof chats;
export const CHATS: Readonly<Record<ChatName, ChatService>> = chats;
/** A channel that posts to an address. */
export type PostChannel = 'webhook' | ChatName;
/** A channel that has deliveries. */
export type ChannelName = PostChannel | 'mail';

const SERVICES = keysOf(CHATS);
export const POST_CHANNELS: readonly PostChannel[] = ['webhook', ...SERVICES];
export const CHANNELS: readonly ChannelName[] = [...POST_CHANNELS, 'mail'];
export const KINDS: readonly ChannelRow['kind'][] = [...CHANNELS, 'feed'];

/** Returns the chat service of a channel; undefined for other channels. */
export function chatOf(channel: ChannelRow['kind']): ChatService | undefined {
  return SERVICES.includes(channel as ChatName) ? CHATS[channel as ChatName] : undefined;
}

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
  const states = KINDS.map((kind) => {
    const row = channels[kind];
    return [kind, row === undefined ? 'off' : row.disabled_at === null ? 'on' : 'disabled'];
  });
  return {
    follows: follows.filter((topic) => isSeen(topic, view)),
    channels: Object.fromEntries(states) as AccountAlerts['channels'],
  };
}

interface PostedChannel {
  url: string | null;
  disabled: ReturnType<typeof disabledOf>;
}

/** Gathers an account's alert settings for exports and commands, without the secrets of webhooks. */
export async function exportAlerts(sql: Sql, account: string) {
  const { follows, channels } = await readSubscription(sql, account);
  const exported = POST_CHANNELS.map((channel) => {
    const row = channels[channel];
    const until = row && (readSecrets(sql, row)?.earlier?.until ?? null);
    const secret = channel === 'webhook' && { earlier_secret_until: until };
    return [channel, row ? { url: row.shown, disabled: disabledOf(row), ...secret } : null] as const;
  });
  return {
    ...{ follows, mail: channels.mail !== undefined, feed: channels.feed !== undefined },
    ...(Object.fromEntries(exported) as Record<PostChannel, PostedChannel | null>),
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

/** Whose channel is changed, and by whom. */
interface Owner {
  account: string;
  actor: Actor;
}

/**
 * Sets the address of a channel, and enables the channel. An address of a chat service becomes the channel of that service. The webhook keeps its
 * secret.
 *
 * @returns the channel that got the address
 * @throws InputError
 */
export async function setAddress(
  store: Store,
  { account, actor }: Owner,
  channel: PostChannel,
  address: string,
  policy: AddressPolicy,
): Promise<PostChannel> {
  if (address.includes('…'))
    throw badAddress('it is shortened, as the page shows it; expected the whole address');
  const url = readWebhookUrl(address, policy);
  const service = SERVICES.find((each) => CHATS[each].hosts.includes(url.host));
  const [, start] = (service && CHATS[service].path.exec(url.pathname + url.search)) || [];
  const isOther = service !== undefined && start === undefined && CHATS[service].hasOthers;
  const kind = isOther ? channel : (service ?? channel);
  const chat = chatOf(kind);
  if (chat && start === undefined)
    throw badAddress(`it is not that of a webhook of ${chat.label}; expected ${chat.expected}`);
  const shown = start === undefined ? url.href : `${url.origin}${start}…`;
  await store.transaction(async (sql) => {
    await recordChange(sql, { account, event: 'webhook.set', about: chat?.label ?? url.host, actor });
    const secret = chat ? null : seal(sql, createWebhookSecret(), account);
    await sql.run(
      `INSERT INTO channels (account, kind, created_at, sealed_address, shown, sealed_secret) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (account, kind) DO UPDATE SET sealed_address = excluded.sealed_address, shown = excluded.shown, disabled_at = NULL`,
      [account, kind, sql.now(), seal(sql, url.href, account), shown, secret],
    );
  });
  return kind;
}

/** The changes to a channel: the event in the log, and the statement. Its first two values are the account and the channel. */
const CHANGES = {
  remove: ['removed', 'DELETE FROM channels'],
  enable: ['enabled', 'UPDATE channels SET disabled_at = NULL'],
  secret: [
    'secret-renewed',
    'UPDATE channels SET sealed_earlier = sealed_secret, earlier_until = $3, sealed_secret = $4',
  ],
  'end-earlier': ['secret-ended', 'UPDATE channels SET sealed_earlier = NULL, earlier_until = NULL'],
} as const;
export type ChannelChange = keyof typeof CHANGES;

/** Returns the changes that a channel can have: only those that post can be disabled, and only a webhook has secrets. */
export function changesOf(channel: ChannelRow['kind']): ChannelChange[] {
  return keysOf(CHANGES).slice(0, channel === 'webhook' ? undefined : chatOf(channel) ? 2 : 1);
}

/**
 * Changes a channel. After a renewal, the earlier secret stays valid for a day, so that the receiver has time to change.
 *
 * @throws InputError if there is no such channel, or the previous renewal was less than a day ago
 */
export async function changeChannel(
  store: Store,
  { account, actor }: Owner,
  channel: ChannelRow['kind'],
  what: ChannelChange,
): Promise<void> {
  const [verb, statement] = CHANGES[what];
  const label = chatOf(channel)?.label ?? null;
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
    const event = `${channel === 'feed' ? 'feed' : 'webhook'}.${verb}`;
    if (channel !== 'mail') await recordChange(sql, { account, event, about: label, actor });
  });
}

export async function turnOnMail(sql: Sql, account: string): Promise<void> {
  const statement =
    "INSERT INTO channels (account, kind, created_at) VALUES ($1, 'mail', $2) ON CONFLICT DO NOTHING";
  await sql.run(statement, [account, sql.now()]);
}

/** Gives an account's feed a new address; the previous one stops working. @returns its path, which is not stored and cannot be shown again */
export async function renewFeed(store: Store, { account, actor }: Owner): Promise<string> {
  const { token, hash } = createToken(FEED_MARK);
  await store.transaction(async (sql) => {
    await sql.run(
      `INSERT INTO channels (account, kind, created_at, hash) VALUES ($1, 'feed', $2, $3)
       ON CONFLICT (account, kind) DO UPDATE SET hash = excluded.hash`,
      [account, sql.now(), hash],
    );
    await recordChange(sql, { account, event: 'feed.renewed', actor });
  });
  return `/feeds/${token}`;
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
