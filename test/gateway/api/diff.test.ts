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

const PATCH = { accept: 'application/json-patch+json' };
const BUILDS = ['1.0', '1.1', '1.2', '1.3'];

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
});

diff.run();
