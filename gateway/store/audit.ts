import { randomUUID } from 'node:crypto';
import type { Sql } from './sql.ts';

/** Who did something to an account. `key-holder`: a client that sent the key itself; `platform`: one that sells memberships. */
export type Party = 'account' | 'operator' | 'key-holder' | 'platform' | 'gateway';

/** Who did something, and from where. */
export interface Actor {
  by: Party;
  /** The IPv4 address or IPv6 /64 of the request, as `networkOf` returns it; null without a request. */
  network: string | null;
}

/** The actor of a command, of what the gateway does by itself, and of reports of platforms. */
export const OPERATOR: Actor = { by: 'operator', network: null };
export const GATEWAY: Actor = { by: 'gateway', network: null };
export const PLATFORM: Actor = { by: 'platform', network: null };

/** Something that was done to an account. */
export interface Change {
  /** The id of the account. */
  account: string;
  /** One of the events that the page of the account names. */
  event: string;
  /** What it was done to, such as the prefix of a key. Never a secret. */
  about?: string | null;
  actor: Actor;
}

/** An entry of an account's log. */
export interface AuditRow extends Actor {
  id: string;
  at: number;
  event: string;
  about: string | null;
}

/** How many entries of an account are kept. Those of its most frequent event go first, so that nobody can hide one behind many others. */
export const MAX_ENTRIES = 100;

/** Adds an entry to the log of an account, and queues a mail about what its holder should know at once. */
export async function recordChange(sql: Sql, { account, event, about = null, actor }: Change): Promise<void> {
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
  if (isMailed(event, actor)) await queueMail(sql, account, { event, about, at, ...actor });
}

/** Entries made later by this process come later, also in one millisecond. */
let made = 0;

function makeId(at: number): string {
  made += 1;
  return `${at}-${String(made).padStart(9, '0')}-${randomUUID().slice(0, 8)}`;
}

/** Returns the log of an account, the newest entry first. */
export async function readLog(sql: Sql, account: string): Promise<AuditRow[]> {
  return await sql.all<AuditRow>(
    'SELECT id, at, event, about, by, network FROM audit WHERE account = $1 AND at > $2 ORDER BY id DESC',
    [account, sql.now() - KEEP_MS],
  );
}

const KEEP_MS = 90 * 86_400_000;

/** Events that are mailed to the account holder. The keys that the gateway itself makes are those of a demo. */
const MAILED: ReadonlySet<string> = new Set([
  'session.begun-elsewhere',
  'key.made',
  'key.rotated',
  'key.revoked',
  'address.made',
  'webhook.disabled',
  'membership.changed',
]);

function isMailed(event: string, { by }: Actor): boolean {
  return MAILED.has(event) && (by !== 'gateway' || !event.startsWith('key.'));
}

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
/** The pause after a mail, and after each mail once there were `MANY` in a day: what happens meanwhile comes in one mail. */
const PAUSE_MS = { few: 10 * MINUTE_MS, many: 60 * MINUTE_MS };
const MANY = 5;

/** Queues a mail about an account, of kind `security`. */
async function queueMail(sql: Sql, account: string, content: object): Promise<void> {
  const now = sql.now();
  const sent = await sql.get<{ count: number; last: number | null }>(
    "SELECT count(DISTINCT done_at) AS count, max(done_at) AS last FROM mails WHERE account = $1 AND kind = 'security' AND done_at > $2",
    [account, now - DAY_MS],
  );
  const pause = (sent?.count ?? 0) < MANY ? PAUSE_MS.few : PAUSE_MS.many;
  const due = typeof sent?.last === 'number' ? Math.max(now, sent.last + pause) : now;
  await sql.run(
    "INSERT INTO mails (id, account, kind, content, created_at, due_at) VALUES ($1, $2, 'security', $3, $4, $5)",
    [makeId(now), account, JSON.stringify(content), now, due],
  );
}
