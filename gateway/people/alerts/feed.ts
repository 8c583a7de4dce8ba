import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { html } from '../../../scripts/notices/html.ts';
import { tierAt } from '../../access/account.ts';
import { FEED_MARK, readToken } from '../../access/api-key.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { ReplyCache, sendResult } from '../../http/respond.ts';
import { accountById, toIso } from '../../store/accounts.ts';
import type { Store } from '../../store/sql.ts';
import type { GameEvent } from './event.ts';
import { describeInLines, describeInOneLine } from './message.ts';
import { eventsFor } from './raise.ts';

/** Options of the feeds. */
export interface FeedOptions {
  store: Store;
  /** ms since 1970. */
  now: () => number;
  /** The public URL of the gateway, without a path. */
  publicUrl: () => string;
}

const MAX_ENTRIES = 50;
const ATOM = 'application/atom+xml; charset=utf-8';
const CACHE_BYTES = 4 * 1024 * 1024;

/** Returns the path of a feed. Anyone who knows its token can read it. */
export function feedPath(token: string): string {
  return `/feeds/${token}`;
}

/** Serves each account's feed: Atom (RFC 4287) with the newest events that the account follows; without Pro, only what it begins with. */
export function feedEndpoint({ store, now, publicUrl }: FeedOptions): Endpoint {
  const replies = new ReplyCache(CACHE_BYTES);
  return {
    path: '/feeds/:token',
    async get(request: IncomingMessage, response: ServerResponse) {
      const [path = ''] = (request.url ?? '').split('?');
      const hash = readToken(FEED_MARK, path.split('/').at(-1) ?? '');
      const feed =
        hash === undefined
          ? undefined
          : await store.get<{ account: string; created_at: number }>(
              'SELECT account, created_at FROM channels WHERE hash = $1',
              [hash],
            );
      if (feed === undefined)
        throw new HttpProblem('not-found', 'this feed does not exist; its address may have been changed');
      const { account } = feed;
      const events = await readEvents(store, account, now());
      const madeAt = toIso(feed.created_at);
      const atom = Buffer.from(await renderFeed(events, { account, madeAt, publicUrl: publicUrl(), path }));
      const tag = createHash('sha256').update(atom).digest('hex');
      const result = { tag, type: ATOM, body: () => ({ json: atom }) };
      await sendResult(request, response, result, replies.placeOf(request, undefined));
    },
  };
}

/** Reads the newest events that a Pro account follows, the newest first. */
async function readEvents(store: Store, id: string, now: number): Promise<GameEvent[]> {
  const account = await accountById(store, id);
  return account && tierAt(account, now) === 'pro' ? await eventsFor(store, id, MAX_ENTRIES) : [];
}

/** A feed: the id of its account, when it was made (ISO 8601 UTC), and its address. */
interface FeedOf {
  account: string;
  madeAt: string;
  publicUrl: string;
  path: string;
}

async function renderFeed(
  events: readonly GameEvent[],
  { account, madeAt, publicUrl, path }: FeedOf,
): Promise<string> {
  const { Feed } = await import('feed');
  const feed = new Feed({
    id: `urn:uuid:${account}`,
    title: 'Game Data Read API: games you follow',
    link: `${publicUrl}/`,
    feedLinks: { atom: publicUrl + path },
    generator: 'Game Data Read API',
    author: { name: 'Game Data Read API' },
    updated: new Date(events[0]?.timestamp ?? madeAt),
  });
  for (const event of events) {
    const date = new Date(event.timestamp);
    feed.addItem({
      id: `urn:uuid:${event.id}`,
      title: html`${describeInOneLine(event)}`.text,
      link: `${publicUrl}/api/${event.data.game}/history`,
      date,
      published: date,
      content: describeInLines(event)
        .map((line) => html`<p>${line}</p>`.text)
        .join('\n'),
    });
  }
  if (events.length < MAX_ENTRIES) {
    const date = new Date(madeAt);
    feed.addItem({
      ...{ id: `urn:uuid:${account}#made`, title: 'This feed was made', link: `${publicUrl}/account` },
      ...{ date, published: date },
      content:
        '<p>New builds, corrections and new games follow here while the account has Pro. What it follows is chosen on its page.</p>',
    });
  }
  return feed.atom1();
}
