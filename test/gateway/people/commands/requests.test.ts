import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess } from '../../../support/run-in-process.ts';

const test = suite<{ store: string }>('gateway requests');
test.before.each(async (context) => {
  context.store = await mkdtemp(join(tmpdir(), 'requests-'));
  for (const [name, ...tier] of [['ada'], ['bob', '--tier', 'pro']]) {
    await run(context.store, 'keys', 'issue', `${name}@example.org`, ...tier);
  }
});
test.after.each(({ store }) => rm(store, { recursive: true }));

async function run(store: string, ...args: string[]) {
  return await runInProcess('gateway', [...args, '--store', store]);
}

const BLUE = 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive';

test('a request is added, accepted and done', async ({ store }) => {
  const added = await run(store, 'requests', 'add', 'ada@example.org', 'Blue Archive', BLUE, '--json');
  assert.is(added.code, 0, added.stderr);
  const { id, status, supporters } = JSON.parse(added.stdout);
  assert.equal([id, status, supporters], ['1', 'open', 1]);
  await run(store, 'requests', 'add', 'bob@example.org', 'Other', 'https://example.org/other');
  const listed = await run(store, 'requests', 'list');
  assert.match(
    listed.stdout,
    /^id +status +supporters +pro .*\n2 +open +1 +1 .*Other.*\n1 +open +1 +0 .*Blue/,
  );
  const accepted = await run(store, 'requests', 'accept', '1', '--game', 'blue-archive', '--note', 'soon');
  assert.match(accepted.stdout, /status +accepted\ngame +blue-archive\nnote +soon/);
  assert.is((await run(store, 'requests', 'done', '1')).code, 0);
  await run(store, 'requests', 'decline', '2');
  assert.is((await run(store, 'requests', 'list')).stdout, 'no open or accepted requests\n');
  const all = JSON.parse((await run(store, 'requests', 'list', '--all', '--json')).stdout);
  assert.equal(
    all.map((request: { id: string; status: string; pro: number }) => [
      request.id,
      request.status,
      request.pro,
    ]),
    [
      ['2', 'declined', 1],
      ['1', 'done', 0],
    ],
  );
});

test('an error prints one line', async ({ store }) => {
  const CASES: [args: string[], code: number, message: RegExp][] = [
    [['add', 'eve@example.org', 'Blue', BLUE], 1, /no account of eve@example\.org .*gateway keys issue/],
    [
      ['add', 'ada@example.org', 'Blue', 'http://x.example'],
      2,
      /not a link to a public page; expected .*https:/,
    ],
    [['accept', '7'], 2, /request 7 does not exist; gateway requests list/],
    [['accept', '7', '--game', 'Blue Archive'], 2, /is not a slug/],
    [['done'], 2, /missing required argument/],
  ];
  for (const [args, code, message] of CASES) {
    const outcome = await run(store, 'requests', ...args);
    assert.is(outcome.code, code, args.join(' '));
    assert.match(outcome.stderr, message);
  }
});

test.run();
