import * as assert from 'uvu/assert';
import { commandSuite } from './command-suite.ts';

const test = commandSuite('gateway requests');
test.before.each(async ({ run }) => {
  for (const [name, ...tier] of [['ada'], ['bob', '--tier', 'pro']])
    await run('keys', 'issue', `${name}@example.org`, ...tier);
});

const BLUE = 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive';

test('a request is added, accepted and done', async ({ run }) => {
  const added = await run('requests', 'add', 'ada@example.org', 'Blue Archive', BLUE, '--json');
  assert.is(added.code, 0, added.stderr);
  const { id, status, supporters } = JSON.parse(added.stdout);
  assert.equal([id, status, supporters], ['1', 'open', 1]);
  await run('requests', 'add', 'bob@example.org', 'Other', 'https://example.org/other');
  const listed = await run('requests', 'list');
  assert.match(
    listed.stdout,
    /^id +status +supporters +pro .*\n2 +open +1 +1 .*Other.*\n1 +open +1 +0 .*Blue/,
  );
  const accepted = await run('requests', 'accept', '1', '--game', 'blue-archive', '--note', 'soon');
  assert.match(accepted.stdout, /status +accepted\n.*\ngame +blue-archive\n.*\nnote +soon/s);
  assert.is((await run('requests', 'done', '1')).code, 0);
  await run('requests', 'decline', '2');
  assert.is((await run('requests', 'list')).stdout, 'no open or accepted requests\n');
  const all = JSON.parse((await run('requests', 'list', '--all', '--json')).stdout);
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

test('an error prints one line', async ({ run }) => {
  const CASES: [args: string[], code: number, message: RegExp][] = [
    [['add', 'eve@example.org', 'Blue', BLUE], 1, /no account of eve@example\.org .*gateway keys list/],
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
    const outcome = await run('requests', ...args);
    assert.is(outcome.code, code, args.join(' '));
    assert.match(outcome.stderr, message);
  }
});

test.run();
