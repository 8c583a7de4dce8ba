import * as assert from 'uvu/assert';
import { readKey } from '../../../gateway/access/api-key.ts';
import type { describeKey } from '../../../gateway/commands/keys.ts';
import { openStore as openSqliteStore } from '../../../gateway/store/open.ts';
import { issueKey } from '../../support/issue-key.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { commandSuite } from '../people/commands/command-suite.ts';

const test = commandSuite('gateway keys');

test('issue prints the key first, then its account and tier', async ({ store }) => {
  const { code, stdout, stderr } = await keys('issue', 'Ada@Example.org', '--store', store);
  assert.is(code, 0, stderr);
  const [key = '', blank, whose, once] = stdout.split('\n');
  const { prefix } = readKey(key) ?? {};
  assert.is(blank, '');
  assert.is(whose, 'The key of ada@example.org, free. Send it in the header X-API-Key.');
  assert.is(once, `It is not shown again; it begins with ${prefix}.`);
});

test('without --tier an account keeps its tier; with it, all of its keys change', async ({ store }) => {
  const { prefix } = await issue(store, 'ada@example.org', '--tier', 'pro', '--until', '2999-01-01');
  const second = await issue(store, 'ADA@example.org');
  assert.equal([second.tier, second.pro_until], ['pro', '2999-01-01T00:00:00.000Z']);
  await issue(store, 'ada@example.org', '--tier', 'free');
  assert.equal((await show(store, prefix)).tier, 'free');
});

test('list is an aligned table of all keys, and --json an array', async ({ store }) => {
  const none = await keys('list', '--store', store);
  assert.is(none.stdout, 'no keys yet; gateway keys issue <email> makes one\n');
  assert.is((await keys('list', '--json', '--store', store)).stdout, '[]\n');
  const ada = await issue(store, 'ada@example.org', '--tier', 'pro', '--until', '2999-01-01', '--name', 'ci');
  const bob = await issue(store, 'bob-with-a-long-name@example.org');
  const { stdout } = await keys('list', '--store', store);
  assert.is(
    stdout,
    [
      'prefix        email                             tier  pro_until                 created_at                revoked_at  name  expires_at',
      `${ada.prefix}  ada@example.org                   pro   2999-01-01T00:00:00.000Z  ${ada.created_at}  -           ci    -`,
      `${bob.prefix}  bob-with-a-long-name@example.org  free  -                         ${bob.created_at}  -           -     -`,
      '',
    ].join('\n'),
  );
  const listed = JSON.parse((await keys('list', '--json', '--store', store)).stdout);
  assert.equal(
    listed,
    [ada, bob].map(({ key: _, ...rest }) => ({ ...rest, revoked_at: null })),
  );
});

test('show takes a prefix, a prefix without gdr_ or the whole key', async ({ store }) => {
  const { key, prefix, ...rest } = await issue(store, 'ada@example.org');
  const shown = await Promise.all([prefix, prefix.slice(4), key].map((name) => show(store, name)));
  for (const report of shown) assert.equal(report, { prefix, ...rest, revoked_at: null });
  const { stdout } = await keys('show', prefix, '--store', store);
  assert.match(
    stdout,
    new RegExp(`^prefix {6}${prefix}\nemail {7}ada@example.org\ntier {8}free\npro_until {3}-\n`),
  );
});

test('issue makes a browser key, and set changes its origins, caps and end', async ({ store }) => {
  const made = ['--origins', 'https://Example.org', '--per-minute', '5'];
  const { prefix, browser, expires_at } = await issue(store, 'ada@example.org', ...made);
  assert.equal(browser, { origins: ['https://example.org'], limits: { minute: 5, day: 100 } });
  const days = (Date.parse(expires_at ?? '') - Date.now()) / 86_400_000;
  assert.ok(days > 89.9 && days <= 90, expires_at ?? '');
  const set = await keys('set', prefix, '--per-day', '99', '--expires', '200d', '--store', store);
  assert.is(set.code, 0, set.stderr);
  assert.match(
    set.stdout,
    /^browser {5}\{"origins":\["https:\/\/example\.org"\],"limits":\{"minute":5,"day":99\}\}$/m,
  );
  const wrong: [string[], RegExp][] = [
    [
      ['issue', 'ada@example.org', '--per-day', '9'],
      /^gateway: --per-minute and --per-day are limits of a browser/,
    ],
    [['issue', 'ada@example.org', '--origins', 'x'], /^gateway: "x" is not an origin/],
    [['issue', 'ada@example.org', ...made, '--expires', '367d'], /^gateway: a browser key has to end/],
    [['set', prefix, '--expires', 'never'], /^gateway: a browser key has to end/],
    [['set', prefix, '--per-minute', '1000'], /^gateway: "1000" is not a limit/],
    [
      ['set', (await issue(store, 'ada@example.org')).prefix, '--origins', 'https://a.example'],
      /^gateway: gdr_\w{8} is not a browser key, and cannot become one/,
    ],
  ];
  for (const [call, message] of wrong) {
    const { code, stderr } = await keys(...call, '--store', store);
    assert.is(code, 2, call.join(' '));
    assert.match(stderr, message);
  }
});

test('links make, list and revoke a read-only address', async ({ store }) => {
  await issue(store, 'ada@example.org');
  const links = (...words: string[]) => runInProcess('gateway', ['links', ...words, '--store', store]);
  const options = ['--name', 'sheet', '--public-url', 'https://a.example'];
  const made = await links('make', 'ada@example.org', 'star-rail', ...options);
  assert.match(
    made.stdout,
    /^address +https:\/\/a\.example\/t\/gdt_[a-z2-7]{32}\/star-rail\/characters\.csv\n/,
  );
  const [prefix = ''] = /gdt_[a-z2-7]{8}/.exec(made.stdout) ?? [];
  const query = '/api/star-rail/banners.csv?limit=5';
  assert.is((await links('make', 'ada@example.org', query)).code, 0);
  const { stdout } = await links('list', 'ada@example.org', '--json');
  const listed = JSON.parse(stdout) as Record<'name' | 'game' | 'query', string | null>[];
  assert.equal(listed.map(({ name, game, query }) => `${name} ${game} ${query}`).sort(), [
    'null star-rail banners.csv?limit=5',
    'sheet star-rail null',
  ]);
  assert.is((await links('revoke', prefix)).stdout, `${prefix} is revoked\n`);
  assert.match((await links('revoke', prefix)).stderr, /^gateway: no read-only address gdt_/);
  const wrong = await links('make', 'ada@example.org', 'Not a game');
  assert.equal([wrong.code, /is neither a game nor a query/.test(wrong.stderr)], [2, true]);
  assert.match((await links('list', 'bob@example.org')).stderr, /no account of bob@example\.org/);
});

test('an expired key is not changed or rotated, and the message says so', async ({ store }) => {
  const options = { expires_at: '2026-05-01T00:00:00.000Z' };
  const opened = await openSqliteStore(store);
  const { prefix } = (await issueKey(opened, { email: 'ada@example.org', options })).key;
  await opened.close();
  for (const call of [['rotate'], ['set', '--name', 'x']]) {
    const { code, stderr } = await keys(...call, prefix, '--store', store);
    assert.is(code, 1);
    assert.match(stderr, /^gateway: gdr_\w{8} has expired; gateway keys issue ada@example\.org makes/);
  }
});

test('revoke revokes one key permanently', async ({ store }) => {
  const one = await issue(store, 'ada@example.org');
  const other = await issue(store, 'ada@example.org');
  const first = await keys('revoke', one.prefix, '--store', store);
  assert.match(first.stdout, new RegExp(`^${one.prefix} of ada@example.org is revoked since \\S+Z\n$`));
  assert.is((await keys('revoke', one.key, '--store', store)).stdout, first.stdout);
  assert.is((await show(store, other.prefix)).revoked_at, null);
});

test('rotate issues a new key, and the old one works for the chosen time', async ({ store }) => {
  const old = await issue(store, 'ada@example.org', '--tier', 'pro');
  const before = Date.now();
  const { code, stdout, stderr } = await keys('rotate', old.prefix, '--keep', '2h', '--store', store);
  assert.is(code, 0, stderr);
  const [key = '', , whose = ''] = stdout.split('\n');
  assert.match(whose, `The new key of ada@example.org. It replaces ${old.prefix}, which works until `);
  const fresh = await show(store, key);
  assert.equal([fresh.email, fresh.tier, fresh.revoked_at], ['ada@example.org', 'pro', null]);
  const end = Date.parse((await show(store, old.prefix)).revoked_at ?? '') - 2 * 3_600_000;
  assert.ok(before <= end && end <= Date.now());

  const again = await keys('rotate', key, '--keep', '0s', '--json', '--store', store);
  const rotated = JSON.parse(again.stdout) as Report & { replaces: { prefix: string; revoked_at: string } };
  assert.is(rotated.replaces.prefix, fresh.prefix);
  assert.is(rotated.replaces.revoked_at, (await show(store, key)).revoked_at);
  const refused = await keys('rotate', key, '--store', store);
  assert.equal([refused.code, refused.stdout], [1, '']);
  assert.match(
    refused.stderr,
    /^gateway: gdr_\w{8} was revoked; gateway keys issue ada@example\.org makes a new key\n$/,
  );
});

test('an unknown key gives one line and exit code 1', async ({ store }) => {
  for (const call of [['show'], ['revoke'], ['rotate'], ['set', '--name', 'x']]) {
    const { code, stdout, stderr } = await keys(...call, 'aaaaaaaa', '--store', store);
    assert.equal([code, stdout], [1, '']);
    assert.is(
      stderr,
      `gateway: no key gdr_aaaaaaaa in the store ${store}; gateway keys list shows all keys\n`,
    );
  }
});

test('help lists all commands, and shows examples', async () => {
  const { code, stdout } = await runInProcess('gateway', ['--help']);
  assert.is(code, 0);
  assert.match(stdout, /serve \[options\] +serve the compiled data/);
  assert.match(stdout, /keys {2,}issue, list, show, set, revoke and rotate/);
  const help = await runInProcess('gateway', ['keys', 'issue', '--help']);
  assert.match(help.stdout, /Examples:\n {2}gateway keys issue/);
  assert.match(help.stdout, /--store <address> .*\(default:\s+var\/store,\s+env:\s+GATEWAY_STORE\)/s);
  assert.match((await runInProcess('gateway', ['help', 'keys'])).stdout, /revoke a key permanently/);
});

test('a missing or unknown command is wrong usage', async () => {
  const none = await runInProcess('gateway', []);
  assert.equal([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, /^Usage: gateway/);
  const wrong = await runInProcess('gateway', ['keyz']);
  assert.is(wrong.code, 2);
  assert.match(
    wrong.stderr,
    /^gateway: unknown command 'keyz'\n\(Did you mean keys\?\)\n\(see gateway --help\)\n$/,
  );
});

test.run();

type Report = Omit<ReturnType<typeof describeKey>, 'revoked_at'>;

function keys(...args: string[]) {
  return runInProcess('gateway', ['keys', ...args]);
}

async function issue(store: string, ...args: string[]): Promise<Report & { key: string }> {
  const { code, stdout, stderr } = await keys('issue', ...args, '--json', '--store', store);
  assert.is(code, 0, stderr);
  return JSON.parse(stdout);
}

async function show(store: string, name: string): Promise<ReturnType<typeof describeKey>> {
  const { code, stdout, stderr } = await keys('show', name, '--json', '--store', store);
  assert.is(code, 0, stderr);
  return JSON.parse(stdout);
}
