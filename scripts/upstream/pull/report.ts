import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { hidePrivate } from '../../notices/hide-private.ts';
import { isWebhookSecret, signWebhook } from '../../notices/webhook-signature.ts';
import { CommandError, errorOf, makePrivateFolder, readVersion, replacePrivateFile } from '../../system.ts';
import { countOf } from '../../text.ts';
import { DAY_MS } from './builds.ts';

/** Something that a person should know, with advice. */
export interface Item {
  /** Identifies the item: each is reported once, and again when it is over. */
  key: string;
  kind: 'held' | 'carried' | 'changed' | 'failing' | 'quiet' | 'accepted';
  /** Undefined if it concerns all games. */
  game: string | undefined;
  build?: string | undefined;
  text: string;
  remedy: string;
  /** The file with the review. */
  review?: string | undefined;
  /** A failure that may be over soon, and is not reported yet. */
  isEarly?: boolean;
}

/** The body of the webhook: new items, items that are over, and waiting ones. */
export interface PullReport {
  type: 'pull.report';
  timestamp: string;
  /** For people; chats that expect a `text` or `content` show it too. */
  text: string;
  content: string;
  data: { new: Item[]; over: Item[]; waiting: Item[] };
}

interface Saved {
  /** The reported items that are not over, by key. */
  told: Record<string, Item>;
  /** Since when each step has been failing, in ms since 1970. */
  failing: Record<string, number>;
  /** The time of the last report. */
  at: number;
  /** The report that is not delivered yet. */
  pending?: { id: string; body: string } | undefined;
}

const MAX_POST_MS = 15_000;
/** A step is reported after it has failed for this long. */
const REPORT_AFTER_MS = 30 * 60_000;
/** Below the maximum length of a Discord message. */
const MAX_CONTENT = 1900;

/** Reports new items and items that are over once, and waiting items once a day. A report that was not delivered is sent again. */
export class Reports {
  readonly #file: string;
  readonly #post: ((id: string, body: string) => Promise<void>) | undefined;
  #saved: Saved = { told: {}, failing: {}, at: 0 };

  /** @throws CommandError if a setting is not valid */
  constructor(cache: string, webhook: string | undefined) {
    this.#file = path.join(cache, 'reports.json');
    this.#post = webhook === undefined ? undefined : openWebhook(webhook, process.env);
    try {
      Object.assign(this.#saved, JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      // The file does not exist or is damaged: everything is reported again.
    }
  }

  /** Records whether a step fails. @returns whether it has failed for long enough to be reported */
  notesFailure(key: string, isFailing: boolean): boolean {
    const { failing } = this.#saved;
    if (isFailing) failing[key] ??= Date.now();
    else delete failing[key];
    return Date.now() - (failing[key] ?? Date.now()) >= REPORT_AFTER_MS;
  }

  /** Reports new items and items that are over. @returns why the report was not delivered; undefined if nothing is left to send */
  async tell(items: readonly Item[]): Promise<string | undefined> {
    if (this.#post === undefined) return undefined;
    const saved = this.#saved;
    const now = new Map(items.map((item) => [item.key, item]));
    const isNew = [...now.values()].filter(({ key }) => saved.told[key] === undefined);
    const over = Object.values(saved.told).filter(({ key }) => !now.has(key));
    const isDaily = items.length > 0 && Date.now() - saved.at >= DAY_MS;
    if (saved.pending === undefined && (isNew.length > 0 || over.length > 0 || isDaily)) {
      const waiting = items.filter(({ kind }) => kind !== 'accepted');
      const body = JSON.stringify(writeReport({ new: isNew, over, waiting }));
      saved.pending = { id: `msg_${createHash('sha256').update(body).digest('hex').slice(0, 32)}`, body };
      saved.told = Object.fromEntries(waiting.map((item) => [item.key, item]));
      saved.at = Date.now();
      // Saved first, so that a killed process sends the same report again.
      await this.#save();
    }
    let failure: string | undefined;
    if (saved.pending)
      failure = await this.#post(saved.pending.id, saved.pending.body).then(() => undefined, describe);
    if (failure === undefined) saved.pending = undefined;
    await this.#save();
    return failure;
  }

  async #save(): Promise<void> {
    await makePrivateFolder(path.dirname(this.#file));
    await replacePrivateFile(this.#file, Buffer.from(`${JSON.stringify(this.#saved, null, 2)}\n`));
  }
}

function describe(error: unknown): string {
  const { message, cause } = errorOf(error);
  return hidePrivate(cause instanceof Error ? `${message}: ${cause.message}` : message);
}

function writeReport(data: PullReport['data']): PullReport {
  const lines = (title: string, items: readonly Item[]) =>
    items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${describeItem(item)}`)];
  const told = new Set(data.new.map(({ key }) => key));
  const waiting = data.waiting.filter(({ key }) => !told.has(key));
  const over = data.over.map((item) => ({ ...item, remedy: '' }));
  const still = `${countOf(waiting.length, 'thing')} still waiting`;
  const text = [...lines('New', data.new), ...lines('Over', over), ...lines(still, waiting)].join('\n');
  const content = text.length > MAX_CONTENT ? `${text.slice(0, MAX_CONTENT)}…` : text;
  return { type: 'pull.report', timestamp: new Date(Date.now()).toISOString(), text: content, content, data };
}

/** An item in one line. Subjects of commits come from strangers, and their control characters could change what a terminal shows. */
export function describeItem({ game, text, remedy, review }: Item): string {
  const more = [...(remedy === '' ? [] : [remedy]), ...(review === undefined ? [] : [`review: ${review}`])];
  return [`${game ?? 'all games'}: ${text}`, ...more].join('; ').replace(/\p{Cc}/gu, ' ');
}

function openWebhook(url: string, { GAMEDATA_WEBHOOK_SECRET: secret }: NodeJS.ProcessEnv) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isLocal = parsed && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(parsed.hostname);
  if (!parsed || !(parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLocal)))
    throw new CommandError(`--webhook ${url}: expected an https:// address, or http:// of this machine`, 2);
  if (secret !== undefined && !isWebhookSecret(secret))
    throw new CommandError(
      'GAMEDATA_WEBHOOK_SECRET: expected the secret that signs posts, whsec_ and the Base64 of 24 to 96 random bytes, such as from: echo whsec_$(openssl rand -base64 32)',
      2,
    );
  return async (id: string, body: string) => {
    const response = await fetch(url, {
      ...{ method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(MAX_POST_MS) },
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `game-data-read-api/${readVersion()}`,
        ...(secret === undefined ? {} : signWebhook([secret], id, body, Date.now())),
      },
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the response had status ${response.status}`);
  };
}
