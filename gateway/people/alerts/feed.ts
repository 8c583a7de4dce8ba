import { createHash } from 'node:crypto';
import { html } from '../../../scripts/notices/html.ts';
import { FEED_MARK, readToken } from '../../access/api-key.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { ReplyCache, sendResult } from '../../http/respond.ts';
import type { Sql } from '../../store/sql.ts';
import type { Needs } from '../people.ts';
import { ALL_GAMES, NEW_GAMES } from './channels.ts';
import type { GameEvent } from './event.ts';
import { describeInLines, describeInOneLine } from './message.ts';

const MAX_ENTRIES = 50;
const ATOM = 'application/atom+xml; charset=utf-8';
const CACHE_BYTES = 4 * 1024 * 1024;

/** Serves each account's feed: Atom (RFC 4287) with the newest events that the account follows; none without Pro. Anyone who knows its address can read it. */
export function feedEndpoint({ store, publicUrl }: Needs<'store' | 'publicUrl'>): Endpoint {
  const replies = new ReplyCache(CACHE_BYTES);
  return {
    path: '/feeds/:token',
    async get(request, response) {
      const [path = ''] = (request.url ?? '').split('?');
      const hash = readToken(FEED_MARK, path.split('/').at(-1) ?? '') ?? '';
      const statement = 'SELECT account, created_at FROM channels WHERE hash = $1';
      const feed = await store.get<{ account: string; created_at: number }>(statement, [hash]);
      if (!feed)
        throw new HttpProblem('not-found', 'this feed does not exist; its address may have been changed');
      const events = await eventsFor(store, feed.account);
      const atom = Buffer.from(await renderFeed(events, { ...feed, publicUrl: publicUrl(), path }));
      const tag = createHash('sha256').update(atom).digest('hex');
      const result = { tag, type: ATOM, body: () => ({ json: atom }) };
      await sendResult(request, response, result, replies.placeOf(request, undefined));
    },
  };
}

/** Lists the newest events that an account follows, newest first; none without Pro. */
async function eventsFor(sql: Sql, account: string): Promise<GameEvent[]> {
  const rows = await sql.all<{ body: string }>(
    `SELECT body FROM events WHERE EXISTS (
       SELECT 1 FROM follows JOIN accounts ON accounts.id = follows.account
       WHERE account = $1 AND tier = 'pro' AND (pro_until IS NULL OR pro_until > $2)
         AND (topic = $3 OR topic = events.game OR (topic = $4 AND events.type = 'game.added'))
     ) ORDER BY position DESC LIMIT $5`,
    [account, sql.now(), ALL_GAMES, NEW_GAMES, MAX_ENTRIES],
  );
  return rows.map(({ body }) => JSON.parse(body) as GameEvent);
}

async function renderFeed(
  events: readonly GameEvent[],
  feed: { account: string; created_at: number; publicUrl: string; path: string },
): Promise<string> {
  const { account, publicUrl } = feed;
  const { Feed } = await import('feed');
  const made = new Date(feed.created_at);
  const atom = new Feed({
    ...{ id: `urn:uuid:${account}`, title: 'Game Data Read API: games you follow', link: `${publicUrl}/` },
    ...{ feedLinks: { atom: publicUrl + feed.path }, generator: 'Game Data Read API' },
    author: { name: 'Game Data Read API' },
    updated: events[0] ? new Date(events[0].timestamp) : made,
  });
  for (const event of events) {
    const content = describeInLines(event)
      .map((line) => html`<p>${line}</p>`.text)
      .join('\n');
    const date = new Date(event.timestamp);
    atom.addItem({
      ...{ id: `urn:uuid:${event.id}`, title: html`${describeInOneLine(event)}`.text, content },
      ...{ link: `${publicUrl}/api/${event.data.game}/history`, date, published: date },
    });
  }
  return atom.atom1();
}
