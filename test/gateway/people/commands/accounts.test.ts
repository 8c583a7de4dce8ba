import * as assert from 'uvu/assert';
import { countRequests } from '../../../../gateway/access/quota.ts';
import { openStore } from '../../../../gateway/store/open.ts';
import { accountByEmail } from '../../../support/accounts.ts';
import { type CommandContext, commandSuite } from './command-suite.ts';

const test = commandSuite<CommandContext & { prefixes: string[] }>('gateway accounts');
test.before.each(async (context) => {
  const { run } = context;
  context.prefixes = [];
  for (let n = 0; n < 2; n++) {
    const issued = await run('keys', 'issue', 'Ada@example.org', '--json');
    context.prefixes.push(JSON.parse(issued.stdout).prefix);
  }
  const store = await openStore(context.store);
  const found = await accountByEmail(store, 'ada@example.org');
  if (found) await countRequests(store, new Map([[found.account.counted_as, { minute: 10, day: 200 }]]));
  await store.close();
});

test('show prints the tier, the keys and the usage', async ({ run, prefixes }) => {
  const { code, stdout, stderr } = await run('accounts', 'show', 'ADA@example.org');
  assert.is(code, 0, stderr);
  assert.match(stdout, /^email +ada@example\.org\ntier +free\n/);
  assert.match(stdout, /used +1 of 10 in 60 s, 1 of 200 today\n/);
  for (const prefix of prefixes) assert.match(stdout, prefix);
  const json = JSON.parse((await run('accounts', 'show', 'ada@example.org', '--json')).stdout);
  assert.equal([json.tier, json.used], ['free', '1 of 10 in 60 s, 1 of 200 today']);
  assert.equal(json.keys.map(({ prefix }: { prefix: string }) => prefix).sort(), [...prefixes].sort());
});

test('grant gives an account a tier, until a time or permanently', async ({ run }) => {
  const granted = await run('accounts', 'grant', 'ada@example.org', 'pro', '--until', '2999-01-01', '--json');
  assert.is(granted.code, 0, granted.stderr);
  assert.equal(JSON.parse(granted.stdout), {
    email: 'ada@example.org',
    tier: 'pro',
    pro_until: '2999-01-01T00:00:00.000Z',
  });
  assert.match((await run('accounts', 'show', 'ada@example.org')).stdout, /tier +pro\n/);
  const back = await run('accounts', 'grant', 'ada@example.org', 'free');
  assert.match(back.stdout, /tier +free\npro_until +-/);
  const unknown = await run('accounts', 'grant', 'bob@example.org', 'pro');
  assert.equal([unknown.code, /no account of bob@example\.org/.test(unknown.stderr)], [1, true]);
});

test('delete removes everything about a person', async ({ run, prefixes }) => {
  await run('keys', 'issue', 'bob@example.org');
  const { code, stdout } = await run('accounts', 'delete', 'ada@example.org');
  assert.equal(
    [code, stdout],
    [
      0,
      'deleted the account of ada@example.org with 2 keys; only counts of its use, without the address, stay for a day\n',
    ],
  );
  const { stdout: listed } = await run('keys', 'list');
  assert.match(listed, /bob@example\.org/);
  assert.not.match(listed, /ada@/);
  assert.is((await run('keys', 'show', prefixes[0] ?? '')).code, 1);
  const bob = await run('accounts', 'delete', 'bob@example.org', '--json');
  assert.equal(JSON.parse(bob.stdout), { email: 'bob@example.org', keys: 1 });
});

test('an unknown account gives one line and exit code 1, an invalid email address exit code 2', async ({
  store,
  run,
}) => {
  for (const name of ['show', 'export', 'delete']) {
    const unknown = await run('accounts', name, 'eve@example.org');
    assert.equal([unknown.code, unknown.stdout], [1, '']);
    assert.is(
      unknown.stderr,
      `gateway: no account of eve@example.org in the store ${store}; gateway keys list shows all accounts\n`,
    );
    const wrong = await run('accounts', name, 'eve');
    assert.is(wrong.code, 2);
    assert.match(wrong.stderr, /Expected an email address such as/);
  }
});

test.run();
