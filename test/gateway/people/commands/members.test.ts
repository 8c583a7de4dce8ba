import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type CommandContext, commandSuite } from './command-suite.ts';

const SETTINGS = { PATREON_TIERS: 'Gold', PATREON_MIN_CENTS: '500' };
const test = commandSuite('gateway members', SETTINGS, Date.parse('2030-06-02T00:00:00Z'));

/** An export of Patreon's relationship manager: its header and rows. */
const PATREON = [
  '\uFEFFName,Email,Discord,Patron Status,Follows You,Free Member,Free Trial,Lifetime Amount,Pledge Amount,Charge Frequency,Tier,Addressee,' +
    'Street,City,State,Zip,Country,Phone,Patronage Since Date,Last Charge Date,Last Charge Status,Additional Details,User ID,Last Updated,' +
    'Currency,Max Posts,Access Expiration,Next Charge Date,Full country name,Subscription Source',
  patron('Ada', 'Ada@Example.org', 'Active patron', '5.00', 'Silver', 'Paid', '1'),
  patron('"Bob, or ""Rob"""', 'bob@example.org', 'Active patron', '1.00', 'Gold', 'Paid', '2'),
  patron('Cay', 'cay@example.org', 'Active patron', '1.00', 'Tips', 'Paid', '3'),
  patron('Dee', 'dee@example.org', 'Former patron', '5.00', 'Gold', 'Refunded', '4'),
].join('\r\n');

function patron(...[name, email, status, amount, tier, charge, id]: string[]): string {
  const since = '2029-01-10 13:37:12.5,2030-06-01 08:00:10';
  return `${name},${email},,${status},No,No,No,2.99,${amount},monthly,${tier},,,,,,,,${since},${charge},,${id},2030-06-01 09:00:00,USD,,,2030-07-01 00:00:00,,Patreon`;
}

async function importFile(
  { folder, run }: CommandContext,
  platform: string,
  text: string,
  ...options: string[]
) {
  const file = join(folder, `${platform}.csv`);
  await writeFile(file, text);
  return await run('members', 'import', file, '--platform', platform, ...options);
}

test('an import corrects the members in the store, and prints the changes', async (context) => {
  const { run } = context;
  await run('keys', 'issue', 'ada@example.org');
  const dry = await importFile(context, 'patreon', PATREON, '--dry-run', '--json');
  assert.is(dry.code, 0, dry.stderr);
  const after = '2030-07-08T00:00:00.000Z';
  assert.equal(JSON.parse(dry.stdout), {
    changed: [
      { member: 'patreon:1', email: 'ada@example.org', before: null, after, has_account: true },
      { member: 'patreon:2', email: 'bob@example.org', before: null, after, has_account: false },
    ],
    unchanged: 2,
    ignored: 0,
    absent: 0,
    dry_run: true,
  });
  const done = await importFile(context, 'patreon', PATREON);
  assert.is(
    done.stdout,
    `unchanged  2
ignored    0
absent     0
dry_run    no

member     email            before  after                     has_account
patreon:1  ada@example.org  -       ${after}  yes
patreon:2  bob@example.org  -       ${after}  no
`,
  );
  const refunded = PATREON.split('\r\n').slice(0, 2).join('\n').replace(',Paid,', ',Refunded,');
  const { changed, absent } = JSON.parse((await importFile(context, 'patreon', refunded, '--json')).stdout);
  const ended = {
    member: 'patreon:1',
    email: 'ada@example.org',
    before: after,
    after: null,
    has_account: true,
  };
  assert.equal([changed, absent], [[ended], 3]);
});

test('memberships are shown, exported and deleted with their account; a waiting one is exported too', async (context) => {
  const { run } = context;
  await run('keys', 'issue', 'ada@example.org');
  await importFile(context, 'patreon', PATREON);
  const shown = await run('accounts', 'show', 'ada@example.org');
  assert.match(shown.stdout, /tier +pro\npro_until +2030-07-08/);
  assert.match(shown.stdout, /\npatreon:1 +ada@example\.org +active .*2030-07-08/);
  assert.match((await run('accounts', 'export', 'ada@example.org')).stdout, /"member": "1"/);
  const revoked = await run('members', 'revoke', 'patreon:2', '--json');
  assert.equal(JSON.parse(revoked.stdout), {
    member: 'patreon:2',
    before: '2030-07-08T00:00:00.000Z',
    after: null,
  });
  assert.match((await run('accounts', 'export', 'bob@example.org')).stdout, /"account": null/);
  assert.is((await run('accounts', 'delete', 'ada@example.org')).code, 0);
  const waiting = await run('accounts', 'delete', 'cay@example.org');
  assert.match(
    waiting.stdout,
    /^deleted the links and memberships that waited for an account of cay@example\.org;/,
  );
  const listed = (await run('members', 'list')).stdout;
  assert.match(listed, /patreon:2 +bob@example\.org +revoked .* - {2,}no/);
  assert.not.match(listed, /ada@|cay@/);
});

test('a missing file or setting is reported in one line', async ({ folder, run }) => {
  const absent = await run('members', 'import', join(folder, 'no.csv'), '--platform', 'patreon');
  assert.equal([absent.code, /cannot read .*no\.csv: ENOENT/.test(absent.stderr)], [1, true]);
  const unset = await run('members', 'import', 'x.csv', '--platform', 'ko-fi');
  assert.equal(
    [unset.code, /no environment variable says what buys Pro on ko-fi/.test(unset.stderr)],
    [2, true],
  );
});

test.run();
