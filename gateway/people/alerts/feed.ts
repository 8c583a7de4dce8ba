import { createHash } from 'node:crypto';
import { html } from '../../../scripts/notices/html.ts';
import { FEED_MARK, readToken } from '../../access/api-key.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { ReplyCache, sendResult } from '../../http/respond.ts';
import type { Needs } from '../people.ts';
import { ALL_GAMES, NEW_GAMES } from './channels.ts';
import type { GameEvent } from './event.ts';
import { describeInLines, describeInOneLine } from './message.ts';

const MAX_ENTRIES = 50;
const ATOM = 'application/atom+xml; charset=utf-8';
const CACHE_BYTES = 4 * 1024 * 1024;

/** The newest events that an account follows, newest first; none without Pro. */
const EVENTS_OF_ACCOUNT = `SELECT body FROM events WHERE EXISTS (
    SELECT 1 FROM follows JOIN accounts ON accounts.id = follows.account
    WHERE account = $1 AND tier = 'pro' AND (pro_until IS NULL OR pro_until > $2)
      AND (topic = $3 OR topic = events.game OR (topic = $4 AND events.type = 'game.added'))
  ) ORDER BY raised_at DESC, at DESC LIMIT $5`;

/** Serves each account's feed: Atom (RFC 4287) with the newest events that the account follows. Anyone who knows its address can read it. */
export function feedEndpoint({ store, publicUrl }: Needs<'store' | 'publicUrl'>): Endpoint {
  const replies = new ReplyCache(CACHE_BYTES);
  return {
    path: '/feeds/:token',
    async get(request, response) {
      const [path = ''] = (request.url ?? '').split('?');
      const hash = readToken(FEED_MARK, path.split('/').at(-1) ?? '') ?? '';
      const find = 'SELECT account FROM channels WHERE hash = $1';
      const channel = await store.get<{ account: string }>(find, [hash]);
      if (!channel)
        throw new HttpProblem('not-found', 'this feed does not exist; its address may have been changed');
      const values = [channel.account, store.now(), ALL_GAMES, NEW_GAMES, MAX_ENTRIES];
      const rows = await store.all<{ body: string }>(EVENTS_OF_ACCOUNT, values);
      const events = rows.map(({ body }) => JSON.parse(body) as GameEvent);
      const atom = Buffer.from(await renderFeed(events, channel.account, publicUrl(), path));
      const tag = createHash('sha256').update(atom).digest('hex');
      const result = { tag, type: ATOM, body: () => ({ json: atom }) };
      await sendResult(request, response, result, replies.placeOf(request, undefined));
    },
  };
}

async function renderFeed(events: readonly GameEvent[], account: string, site: string, path: string) {
  const { Feed } = await import('feed');
  const atom = new Feed({
    ...{ id: `urn:uuid:${account}`, title: 'Game Data Read API: games you follow', link: `${site}/` },
    ...{ feedLinks: { atom: site + path }, generator: 'Game Data Read API' },
    author: { name: 'Game Data Read API' },
    updated: new Date(events[0]?.timestamp ?? 0),
  });
  for (const event of events) {
    const content = describeInLines(event).map((line) => html`<p>${line}</p>`.text);
    const about = { id: `urn:uuid:${event.id}`, title: html`${describeInOneLine(event)}`.text };
    const link = `${site}/api/${event.data.game}/history`;
    const date = new Date(event.timestamp);
    atom.addItem({ ...about, content: content.join('\n'), link, date, published: date });
  }
  return atom.atom1();
}
