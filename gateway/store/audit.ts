// What happened to accounts: their logs, the words for it, and the events that are mailed to their holders.
import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../access/account.ts';
import type { Sql } from './sql.ts';

/** Who changed an account. `key-holder`: a client that sent the key itself; `platform`: one that sells memberships. */
type Party = 'account' | 'operator' | 'key-holder' | 'platform' | 'gateway';

export interface Actor {
  by: Party;
  /** The IPv4 address or IPv6 /64 of the request, as `networkOf` returns it; null if there was no request. */
  network: string | null;
}

/** The actors of commands, of the gateway's own work, and of platforms' reports. */
export const OPERATOR: Actor = { by: 'operator', network: null };
export const GATEWAY: Actor = { by: 'gateway', network: null };
export const PLATFORM: Actor = { by: 'platform', network: null };

/** A change of an account. */
export interface AuditedChange {
  /** The id of the account. */
  account: string;
  /** One of `EVENTS`. */
  event: string;
  /** The changed thing, such as the prefix of a key. Never a secret. */
  about?: string | null;
  actor: Actor;
}

/** An event in the log of an account. */
export interface LogEntry extends Actor {
  /** ISO 8601 UTC. */
  at: string;
  event: string;
  about: string | null;
}

/** How many entries of an account are kept: of the most frequent event, the oldest entry makes room, so that none hides the others. */
export const MAX_ENTRIES = 100;

/** Adds an entry to the log of an account, and queues a mail if its holder should know of it at once. */
export async function recordChange(
  sql: Sql,
  { account, event, about = null, actor }: AuditedChange,
): Promise<void> {
  const at = sql.now();
  await sql.run(
    'INSERT INTO audit (id, account, at, event, about, by, network) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [makeId(at), account, at, event, about, actor.by, actor.network],
  );
  await sql.run(
    `DELETE FROM audit WHERE id IN (
       SELECT id FROM audit WHERE account = $1 AND (SELECT count(*) FROM audit WHERE account = $1) > $2 AND event = (
         SELECT event FROM audit WHERE account = $1 GROUP BY event ORDER BY count(*) DESC, event LIMIT 1
       ) ORDER BY id LIMIT 1
     )`,
    [account, MAX_ENTRIES],
  );
  if (!isMailed(event, actor)) return;
  const entry: LogEntry = { at: new Date(at).toISOString(), event, about, ...actor };
  await queueMail(sql, account, entry);
}

/** Orders the entries that this process makes in the same millisecond. */
let made = 0;

function makeId(at: number): string {
  made += 1;
  return `${at}-${String(made).padStart(9, '0')}-${randomUUID().slice(0, 8)}`;
}

/** For how many days events are kept. */
export const KEEP_DAYS = 90;

/** Returns the log of an account, newest event first, as exports and commands print it. */
export async function readLog(sql: Sql, account: string): Promise<LogEntry[]> {
  const rows = await sql.all<Omit<LogEntry, 'at'> & { at: number }>(
    'SELECT at, event, about, by, network FROM audit WHERE account = $1 AND at > $2 ORDER BY id DESC',
    [account, sql.now() - KEEP_DAYS * DAY_MS],
  );
  return rows.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
}

/** The events: what pages and mails say, and whether the account holder gets a mail. */
const EVENTS: Readonly<Record<string, [text: string, isMailed?: 'mailed']>> = {
  'session.begun': ['signed in'],
  'session.begun-elsewhere': ['signed in from a new network', 'mailed'],
  'session.ended': ['ended a session'],
  'sessions.ended': ['ended all sessions'],
  'key.made': ['made a key', 'mailed'],
  'key.changed': ['changed a key'],
  'key.rotated': ['replaced a key', 'mailed'],
  'key.revoked': ['revoked a key', 'mailed'],
  'address.made': ['made a read-only address', 'mailed'],
  'address.revoked': ['revoked a read-only address'],
  'webhook.set': ['set the address of the webhook'],
  'webhook.removed': ['removed the webhook'],
  'webhook.disabled': ['disabled the webhook', 'mailed'],
  'feed.renewed': ['gave the feed a new address'],
  'feed.removed': ['removed the feed'],
  'tier.granted': ['granted a tier'],
  'membership.changed': ['changed what memberships grant', 'mailed'],
  'membership.claimed': ['claimed memberships'],
};

const PARTIES: Record<Party, string> = {
  account: 'You',
  operator: 'The operator',
  'key-holder': 'Someone with the key',
  platform: 'The platform of a membership',
  gateway: 'The gateway',
};

/** Describes an event in one line, such as `You revoked a key: gdr_k3x7p2qa`. */
export function describeEvent({ by, event, about }: Omit<LogEntry, 'at'>): string {
  return `${PARTIES[by]} ${EVENTS[event]?.[0] ?? event}${about === null ? '' : `: ${about}`}`;
}

/** Keys that the gateway makes by itself are those of a demo. */
function isMailed(event: string, { by }: Actor): boolean {
  return EVENTS[event]?.[1] === 'mailed' && (by !== 'gateway' || !event.startsWith('key.'));
}

/** The pause after a mail. The events of a pause come in one mail. */
const PAUSE_MS = 15 * 60_000;

/** Queues a mail of kind `security`. */
async function queueMail(sql: Sql, account: string, entry: LogEntry): Promise<void> {
  const now = sql.now();
  const sent = await sql.get<{ last: number | null }>(
    "SELECT max(done_at) AS last FROM mails WHERE account = $1 AND kind = 'security'",
    [account],
  );
  const due = Math.max(now, (sent?.last ?? 0) + PAUSE_MS);
  const statement =
    "INSERT INTO mails (id, account, kind, content, due_at) VALUES ($1, $2, 'security', $3, $4)";
  await sql.run(statement, [makeId(now), account, JSON.stringify(entry), due]);
}
