import { createServer } from 'node:http';
import jsonServer from 'json-server';
import { announce } from './announce.ts';
import { describePage, readRecords } from './records.ts';

// json-server 0.17 with the same entries, set up as by its command, but without its request log and spaces. What it found goes into the
// gateway's envelope by its `render`.
const characters = await readRecords();
const app = jsonServer.create();
app.set('json spaces', 0);
app.use(jsonServer.defaults({ logger: false }));
const router = jsonServer.router({ characters });
router.render = ({ originalUrl }, response) => {
  // The router has removed from `query` what it has read.
  const { searchParams: query } = new URL(originalUrl, 'http://x');
  const found = response.locals.data;
  const sort = `${query.get('_order') === 'desc' ? '-' : ''}${query.get('_sort')}`;
  const count = { total: Number(response.get('X-Total-Count')), count: found.length };
  response.jsonp({
    ...describePage('game-0', { sort, limit: query.get('_limit') }, count),
    characters: found,
  });
};
app.use(router);
announce(createServer({ keepAliveTimeout: 65_000 }, app));
