import { hash } from 'node:crypto';
import { FEED_MARK, readToken } from '../../access/api-key.ts';
import { MinuteCounts } from '../../access/attempts.ts';
import { html } from '../../http/html.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { ReplyCache, sendResult } from '../../http/respond.ts';
import type { Needs } from '../people.ts';
import { tooMany } from '../web.ts';
import { ALL_GAMES, NEW_GAMES } from './channels.ts';
import type { GameEvent } from './event.ts';
import { type Reach, writeMessage } from './message.ts';

const MAX_ENTRIES = 50;
const ATOM = 'application/atom+xml; charset=utf-8';
const CACHE_BYTES = 4 * 1024 * 1024;
/** How often a feed may be read in a minute, and how many feeds are counted. */
const MAX_READS = 60;
const MAX_FEEDS = 10_000;

type EventRow = Record<'id' | 'body', string>;

/** The newest events that an account follows, newest first; none without Pro. */
const EVENTS_OF_ACCOUNT = `SELECT id, body FROM events WHERE EXISTS (
    SELECT 1 FROM follows JOIN accounts ON accounts.id = follows.account
    WHERE account = $1 AND tier = 'pro' AND (pro_until IS NULL OR pro_until > $2)
      AND (topic = $3 OR topic = events.game OR (topic = $4 AND events.type = 'game.added'))
  ) ORDER BY raised_at DESC, at DESC LIMIT $5`;

/** Serves each account's feed: Atom (RFC 4287) with the newest events that the account follows. Anyone who knows its address can read it. */
export function feedEndpoint({
  store,
  publicUrl,
  hasSite,
}: Needs<'store' | 'publicUrl' | 'hasSite'>): Endpoint {
  const replies = new ReplyCache(CACHE_BYTES);
  const reads = new MinuteCounts(MAX_FEEDS);
  return {
    path: '/feeds/:token',
    async get(request, response) {
      const token = readToken(FEED_MARK, request.params.token ?? '') ?? '';
      const find = 'SELECT account FROM channels WHERE hash = $1';
      const { account } = (await store.get<{ account: string }>(find, [token])) ?? {};
      if (account === undefined)
        throw new HttpProblem('not-found', 'this feed does not exist; its address may have been changed');
      const { count, leftMs } = reads.add(account);
      if (count > MAX_READS) throw tooMany('this feed was read too often', Math.ceil(leftMs / 1000));
      const values = [account, store.now(), ALL_GAMES, NEW_GAMES, MAX_ENTRIES];
      const rows = await store.all<EventRow>(EVENTS_OF_ACCOUNT, values);
      const site = { publicUrl: publicUrl(), hasSite };
      // An event never changes, so its id stands for it.
      const tag = hash('sha256', JSON.stringify([account, site, rows.map(({ id }) => id)]));
      const body = async () => ({ json: await renderFeed(rows, account, request.path, site) });
      await sendResult(request, response, { tag, type: ATOM, body }, replies.placeOf(request, undefined));
    },
  };
}

async function renderFeed(rows: EventRow[], account: string, path: string, site: Reach): Promise<Buffer> {
  const { Feed } = await import('feed');
  const { publicUrl } = site;
  const events = rows.map(({ body }) => JSON.parse(body) as GameEvent);
  const atom = new Feed({
    id: `urn:uuid:${account}`,
    title: 'Game Data Read API: games you follow',
    link: `${publicUrl}/`,
    feedLinks: { atom: publicUrl + path },
    generator: 'Game Data Read API',
    author: { name: 'Game Data Read API' },
    updated: new Date(events[0]?.timestamp ?? 0),
  });
  for (const event of events) {
    const { title, lines, url: link } = writeMessage(event, site);
    const content = lines.map((line) => html`<p>${line}</p>`.text).join('\n');
    const [id, date] = [`urn:uuid:${event.id}`, new Date(event.timestamp)];
    atom.addItem({ id, title: html`${title}`.text, content, link, date, published: date });
  }
  return Buffer.from(atom.atom1());
}
