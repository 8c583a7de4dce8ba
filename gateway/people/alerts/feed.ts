import { createHash } from 'node:crypto';
import { html } from '../../../scripts/notices/html.ts';
import { tierAt } from '../../access/account.ts';
import { FEED_MARK, readToken } from '../../access/api-key.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { ReplyCache, sendResult } from '../../http/respond.ts';
import { accountById, toIso } from '../../store/accounts.ts';
import type { Needs } from '../people.ts';
import type { GameEvent } from './event.ts';
import { describeInLines, describeInOneLine } from './message.ts';
import { eventsFor } from './raise.ts';

const MAX_ENTRIES = 50;
const ATOM = 'application/atom+xml; charset=utf-8';
const CACHE_BYTES = 4 * 1024 * 1024;

/** Serves each account's feed: Atom (RFC 4287) with the newest events that the account follows; none without Pro. Anyone who knows its address can read it. */
export function feedEndpoint({ store, now, publicUrl }: Needs<'store' | 'now' | 'publicUrl'>): Endpoint {
  const replies = new ReplyCache(CACHE_BYTES);
  return {
    path: '/feeds/:token',
    async get(request, response) {
      const [path = ''] = (request.url ?? '').split('?');
      const hash = readToken(FEED_MARK, path.split('/').at(-1) ?? '');
      const statement = 'SELECT account, created_at FROM channels WHERE hash = $1';
      const feed = hash && (await store.get<{ account: string; created_at: number }>(statement, [hash]));
      if (!feed)
        throw new HttpProblem('not-found', 'this feed does not exist; its address may have been changed');
      const account = await accountById(store, feed.account);
      const isPro = account && tierAt(account, now()) === 'pro';
      const events = isPro ? await eventsFor(store, account.id, MAX_ENTRIES) : [];
      const madeAt = toIso(feed.created_at);
      const atom = Buffer.from(await renderFeed(events, { ...feed, madeAt, publicUrl: publicUrl(), path }));
      const tag = createHash('sha256').update(atom).digest('hex');
      const result = { tag, type: ATOM, body: () => ({ json: atom }) };
      await sendResult(request, response, result, replies.placeOf(request, undefined));
    },
  };
}

async function renderFeed(
  events: readonly GameEvent[],
  { account, madeAt, publicUrl, path }: Record<'account' | 'madeAt' | 'publicUrl' | 'path', string>,
): Promise<string> {
  const { Feed } = await import('feed');
  const feed = new Feed({
    ...{ id: `urn:uuid:${account}`, title: 'Game Data Read API: games you follow', link: `${publicUrl}/` },
    ...{ feedLinks: { atom: publicUrl + path }, generator: 'Game Data Read API' },
    author: { name: 'Game Data Read API' },
    updated: new Date(events[0]?.timestamp ?? madeAt),
  });
  const add = (id: string, title: string, page: string, time: string, lines: readonly string[]) => {
    const content = lines.map((line) => html`<p>${line}</p>`.text).join('\n');
    const [date, published] = [new Date(time), new Date(time)];
    const item = { id: `urn:uuid:${id}`, title: html`${title}`.text, link: publicUrl + page, content };
    feed.addItem({ ...item, date, published });
  };
  for (const event of events) {
    const page = `/api/${event.data.game}/history`;
    add(event.id, describeInOneLine(event), page, event.timestamp, describeInLines(event));
  }
  const hint =
    'New builds, corrections and new games follow here while the account has Pro. What it follows is chosen on its page.';
  if (events.length < MAX_ENTRIES) add(`${account}#made`, 'This feed was made', '/account', madeAt, [hint]);
  return feed.atom1();
}
