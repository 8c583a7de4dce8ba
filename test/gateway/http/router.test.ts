import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Incoming } from '../../../gateway/http/incoming.ts';
import { type PathHandler, Router } from '../../../gateway/server.ts';

const test = suite('router');

/** Makes a router, and records what it does: the handlers that it calls, with parameters, and the errors that it passes on. */
function makeRouter() {
  const outcomes: string[] = [];
  const router = new Router({
    onNoMatch: ({ path }) => void outcomes.push(`no match: ${path}`),
    onError: (error) => void outcomes.push(String(error)),
  });
  const note =
    (name: string): PathHandler =>
    ({ params }) =>
      void outcomes.push(`${name} ${JSON.stringify(params)}`);
  const ask = async (method: string, path: string): Promise<string[]> => {
    outcomes.length = 0;
    router.handle(makeRequest(method, path), {} as ServerResponse);
    // polka calls handlers in a promise.
    await new Promise(setImmediate);
    return [...outcomes];
  };
  return { router, note, ask };
}

function makeRequest(method: string, path: string): Incoming {
  return { method, url: path, path, search: '', headers: {} } as Incoming;
}

test('routes a path with its parameters, also the second time', async () => {
  const { router, note, ask } = makeRouter();
  router.get('/api/:game/list.json', note('list'));
  router.get('/api/:game/:id', note('one'));
  for (const round of ['unknown', 'known']) {
    // polka adds the parameters of later paths that match.
    assert.equal(await ask('GET', '/api/saga/list.json'), ['list {"game":"saga","id":"list.json"}'], round);
    assert.equal(await ask('GET', '/api/saga/u1'), ['one {"game":"saga","id":"u1"}'], round);
    assert.equal(await ask('HEAD', '/api/saga/u1'), ['one {"game":"saga","id":"u1"}'], round);
  }
});

test('decodes the parameters of a path once, also the second time', async () => {
  const { router, note, ask } = makeRouter();
  router.get('/:id', note('one'));
  for (const round of ['unknown', 'known']) {
    assert.equal(await ask('GET', '/a%2525'), ['one {"id":"a%25"}'], round);
  }
});

test('paths are exact: case, a final slash and a dot count', async () => {
  const { router, note, ask } = makeRouter();
  router.get('/a.json', note('a'));
  for (const path of ['/A.json', '/a.json/', '/a-json', '/x/a.json']) {
    assert.equal(await ask('GET', path), [`no match: ${path}`]);
  }
});

test('a method has its own handler, also for a known path', async () => {
  const { router, note, ask } = makeRouter();
  router.get('/form', note('get'));
  router.post('/form', note('post'));
  for (const method of ['GET', 'POST', 'GET', 'POST']) {
    assert.equal(await ask(method, '/form'), [`${method.toLowerCase()} {}`]);
  }
});

test('passes on what a handler throws, and what it rejects with', async () => {
  const { router, ask } = makeRouter();
  router.get('/throws', () => {
    throw new Error('thrown');
  });
  router.get('/rejects', () => Promise.reject(new Error('rejected')));
  for (const round of ['unknown', 'known']) {
    assert.equal(await ask('GET', '/throws'), ['Error: thrown'], round);
    assert.equal(await ask('GET', '/rejects'), ['Error: rejected'], round);
  }
});

test.run();
