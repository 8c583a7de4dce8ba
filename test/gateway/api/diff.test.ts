import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { OVER_TIME } from '../../support/over-time.ts';

const diff = suite<{ gateway: TestGateway; ask: TestGateway['ask'] }>('diff');
diff.before(async (context) => {
  const gateway = await startGateway(OVER_TIME);
  context.gateway = gateway;
  context.ask = (target, options) =>
    gateway.ask(`/api/saga/${target}`, { key: gateway.keys.pro, ...options });
});
diff.after(({ gateway }) => gateway.stop());

const PATCH = { accept: 'application/json-patch+json' };
const BUILDS = ['1.0', '1.1', '1.2', '1.3'];

diff('shows what differs between neighbouring builds', async ({ ask }) => {
  const { headers, json } = await ask('diff?from=1.1&to=1.2');
  assert.equal(
    [headers.get('game-build'), headers.get('vary')],
    ['1.2', 'X-API-Key, Accept-Encoding, Accept'],
  );
  assert.equal(json(), {
    game: 'saga',
    from: '1.1',
    to: '1.2',
    characters: {
      added: [],
      removed: [{ id: 'bob', name: 'Bob' }],
      changed: [
        { id: 'ann', name: 'Anna', fields: ['name'], changes: [{ path: '/name', from: 'Ann', to: 'Anna' }] },
      ],
    },
    datasets: {
      items: {
        added: ['i3'],
        removed: ['i1'],
        changed: [
          { id: 'i2', name: 'Two', fields: ['price'], changes: [{ path: '/price', from: 5, to: 7 }] },
        ],
        names: { i1: 'One', i2: 'Two', i3: 'Three' },
      },
      pull_planner: { fields: ['cost'], changes: [{ path: '/cost', from: 160, to: 150 }] },
    },
  });
});

diff('shows what differs between builds that are further apart, in either direction', async ({ ask }) => {
  const there = (await ask('diff?from=1.0&to=1.3')).json<Record<string, unknown>>();
  assert.equal(there.characters, {
    added: [{ id: 'cy', name: 'Cy' }],
    removed: [{ id: 'bob', name: 'Bob' }],
    changed: [
      {
        id: 'ann',
        name: 'Anna',
        fields: ['name', 'skills', 'stats.atk'],
        changes: [
          { path: '/name', from: 'Ann', to: 'Anna' },
          { path: '/skills/0/power', from: 1, to: 2 },
          { path: '/stats/atk', from: 100, to: 120 },
        ],
      },
    ],
    attributes: { gained: ['title'], lost: [] },
  });
  const back = (await ask('diff?from=1.3&to=1.0')).json<Record<string, unknown>>();
  assert.equal([back.from, back.to], ['1.3', '1.0']);
  assert.equal((back.characters as { added: unknown }).added, [{ id: 'bob', name: 'Bob' }]);
  assert.equal((back.datasets as { pull_planner: unknown }).pull_planner, {
    fields: ['cost'],
    changes: [{ path: '/cost', from: 150, to: 160 }],
  });
});

diff('knows the newest build that the caller may see as latest', async ({ ask }) => {
  for (const [alias, name] of [
    ['from=1.0&to=latest', 'from=1.0&to=1.3'],
    ['from=latest&to=1.1', 'from=1.3&to=1.1'],
    ['from=latest&to=latest', 'from=1.3&to=1.3'],
  ]) {
    assert.equal((await ask(`diff?${alias}`)).json(), (await ask(`diff?${name}`)).json());
  }
});

diff('of a build with itself is empty', async ({ ask }) => {
  assert.equal((await ask('diff?from=1.2&to=1.2')).json(), {
    game: 'saga',
    from: '1.2',
    to: '1.2',
    characters: { added: [], removed: [], changed: [] },
    datasets: {},
  });
  assert.equal((await ask('diff?from=1.2&to=1.2', { headers: PATCH })).json(), []);
});

diff('is a JSON Patch that turns one snapshot into the other, for all pairs of builds', async ({ ask }) => {
  const snapshots = new Map<string, unknown>();
  for (const build of BUILDS) snapshots.set(build, (await ask(`snapshot/${build}`)).json());
  for (const from of BUILDS) {
    for (const to of BUILDS) {
      const { headers, json } = await ask(`diff?from=${from}&to=${to}`, { headers: PATCH });
      assert.is(headers.get('content-type'), 'application/json-patch+json');
      const patched = jsonPatch.applyPatch(structuredClone(snapshots.get(from)), json<Operation[]>(), true);
      assert.equal(patched.newDocument, snapshots.get(to), `${from} to ${to}`);
    }
  }
});

const ACCEPTED: [string, string][] = [
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/*', 'application/json'],
  ['text/html', 'application/json'],
  ['application/json-patch+json', 'application/json-patch+json'],
  ['application/json;q=0.5, application/json-patch+json', 'application/json-patch+json'],
  ['application/json-patch+json;q=0.5, application/json', 'application/json'],
  ['application/json-patch+json, */*;q=0.1', 'application/json-patch+json'],
];
for (const [accept, type] of ACCEPTED) {
  diff(`is ${type} for Accept: ${accept}`, async ({ ask }) => {
    const { headers } = await ask('diff?from=1.0&to=1.1', { headers: { accept } });
    assert.is(headers.get('content-type')?.split(';')[0], type);
  });
}

diff('has a different ETag in each form, and responds 304', async ({ ask }) => {
  const etags = new Set<string>();
  for (const search of ['from=1.0&to=1.2', 'from=1.2&to=1.0', 'from=1.1&to=1.2', 'from=1.2&to=1.2']) {
    for (const accept of ['application/json', PATCH.accept]) {
      const etag = (await ask(`diff?${search}`, { headers: { accept } })).headers.get('etag') ?? '';
      etags.add(etag);
      const again = await ask(`diff?${search}`, { headers: { accept, 'if-none-match': etag } });
      assert.equal([again.status, again.headers.get('vary')], [304, 'X-API-Key, Accept-Encoding, Accept']);
    }
  }
  assert.is(etags.size, 8);
});

const REFUSED: [string, number, string, RegExp][] = [
  ['diff', 400, 'invalid-parameter', /from is missing/],
  ['diff?from=1.0', 400, 'invalid-parameter', /to is missing/],
  ['diff?from=1.0&from=1.1&to=1.2', 400, 'invalid-parameter', /from was given 2 times/],
  ['diff?from=1.0&to=1.1&format=text', 400, 'invalid-parameter', /"format" is not a parameter/],
  ['diff?from=1.0&to=1.9', 404, 'unknown-build', /no build "1\.9" \(did you mean/],
  ['diff?from=&to=1.2', 404, 'unknown-build', /no build ""/],
  ['diff?from=2.0&to=1.2', 404, 'unknown-build', /no build "2\.0" \(did you mean "1\.0"\?\)/],
];
for (const [target, status, code, detail] of REFUSED) {
  diff(`refuses ${target}`, async ({ ask }) => {
    const response = await ask(target);
    const problem = response.json<{ code: string; detail: string }>();
    assert.equal([response.status, problem.code], [status, code]);
    assert.match(problem.detail, detail);
  });
}

diff('is computed for two requests of an account at once, and for a limited number in all', async () => {
  const builds = Array.from({ length: 8 }, (_, index) => index);
  const files = Object.fromEntries(
    builds.flatMap((index) => [
      [`many/${index}/build.json`, { released_at: `2026-01-0${index + 1}` }],
      [`many/${index}/characters.json`, [{ id: 'a', name: `A${index}` }]],
    ]),
  );
  const gateway = await startGateway({
    ...files,
    'many/game.json': { title: 'Many' },
    'many/0/pull_planner.json': { currency: 'Gem' },
  });
  try {
    const pairs = builds.flatMap((from) => builds.filter((to) => to < from).map((to) => [from, to] as const));
    const askAll = (keys: readonly string[]) =>
      Promise.all(
        pairs.map(([from, to], at) =>
          gateway.ask(`/api/many/diff?from=${from}&to=${to}`, { key: keys[at % keys.length] ?? '' }),
        ),
      );
    const statusesOf = (responses: Awaited<ReturnType<typeof askAll>>) =>
      [...new Set(responses.map(({ status }) => status))].sort();
    // One account computes two at a time, and another one has its turn meanwhile.
    const asking = askAll([gateway.keys.pro]);
    const others = await issueKey(gateway.store, 'pro', 'other@example.org');
    assert.is((await gateway.ask('/api/many/diff?from=0&to=5', { key: others })).status, 200);
    const responses = await asking;
    assert.equal(statusesOf(responses), [200, 429]);
    for (const { status, headers, json } of responses.filter(({ status }) => status === 429)) {
      assert.is(headers.get('retry-after'), '2', String(status));
      assert.equal(json<Record<string, unknown>>()['violated-policies'], ['diffs']);
    }
    // Many accounts together wait for no more than the gateway can compute in time.
    const keys = await Promise.all(pairs.map((_, at) => issueKey(gateway.store, 'pro', `${at}@example.org`)));
    const crowd = await askAll(keys);
    assert.equal(statusesOf(crowd), [200, 503]);
    for (const { status, headers } of crowd) if (status === 503) assert.is(headers.get('retry-after'), '5');
    while ((await askAll(keys)).some(({ status }) => status !== 200));
  } finally {
    await gateway.stop();
  }
});

diff('that several ask for at once is computed once', async ({ gateway, ask }) => {
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      ask(`diff?from=1.3&to=1.1`, { headers: { 'accept-encoding': index % 2 ? 'gzip' : 'br' } }),
    ),
  );
  assert.equal([...new Set(responses.map(({ status }) => status))], [200]);
  assert.is(new Set(responses.map(({ text }) => text)).size, 1);
  assert.not.match(gateway.logged.join('\n'), /"level":"error"/);
});

diff('whose files cannot be read is a 503 until they can be read', async () => {
  const gateway = await startGateway(OVER_TIME);
  const folder = path.join(gateway.dist, 'saga');
  const files = (await readdir(folder)).filter((file) => /^(characters|diff|snapshot)\./.test(file));
  const move = async (from: string, to: string) => {
    for (const file of files) await rename(path.join(folder, file + from), path.join(folder, file + to));
  };
  const ask = (search: string) => gateway.ask(`/api/saga/diff?${search}`, { key: gateway.keys.pro });
  try {
    await move('', '.away');
    for (const search of ['from=1.0&to=1.1', 'from=1.1&to=1.0']) {
      const { status, text } = await ask(search);
      assert.is(status, 503);
      assert.not.match(text, /ENOENT|(characters|diff|snapshot)\./);
    }
    await move('.away', '');
    for (const search of ['from=1.0&to=1.1', 'from=1.1&to=1.0']) assert.is((await ask(search)).status, 200);
  } finally {
    await gateway.stop();
  }
});

diff.run();
