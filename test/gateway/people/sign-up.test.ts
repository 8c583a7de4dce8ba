import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listKeys } from '../../../gateway/store/keys.ts';
import { accountByEmail } from '../../support/accounts.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { keyOn } from './browser.ts';
import { FORWARDED, PUBLIC_URL, startWorld, tokenIn, type World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const test = suite<{ world: World }>('signing up');
test.before(async (context) => {
  context.world = await startWorld();
});
test.after(({ world }) => world.stop());

test('the link of a new address makes an account and shows its key', async ({ world }) => {
  const form = await world.get('/signup');
  assert.match(form.text, /<label for="email">/);
  assert.not.match(form.text, /<script>|javascript:|https?:/);
  const link = await world.askForKey('ann@example.org');
  assert.is((await world.get(link)).status, 200);
  const account = await accountByEmail(world.gateway.store, 'ann@example.org');
  assert.is(account, undefined, 'nothing is changed yet');
  const page = await world.post('/signup/key', { token: tokenIn(link) });
  assert.equal([page.status, page.headers.get('referrer-policy')], [200, 'no-referrer']);
  const me = await world.gateway.ask('/api/me', { key: keyOn(page) ?? '' });
  assert.equal([me.status, me.json<{ tier: string }>().tier], [200, 'free']);
});

test('a sixth key replaces the oldest, which works for another day', async ({ world }) => {
  const { gateway } = world;
  const keys: string[] = [];
  for (let count = 0; count < 6; count++) {
    gateway.clock.now += DAY;
    const link = await world.askForKey('eve@example.org');
    assert.is(/will stop working in one day/.test((await world.get(link)).text), count === 5);
    keys.push(keyOn(await world.post('/signup/key', { token: tokenIn(link) })) ?? '');
  }
  const statuses = () => Promise.all(keys.map(async (key) => (await gateway.ask('/api/me', { key })).status));
  assert.equal(await statuses(), [200, 200, 200, 200, 200, 200]);
  gateway.clock.now += DAY;
  assert.equal(await statuses(), [401, 200, 200, 200, 200, 200]);
});

test('the form says what is wrong with an email address, and escapes what was typed', async ({ world }) => {
  const typed = '"><script>alert(1)</script>@example.org';
  const { status, text } = await world.post('/signup', { email: typed });
  assert.is(status, 400);
  assert.not.match(text, /<script>/);
  assert.match(text, /value="&quot;&gt;&lt;script/);
  const before = world.smtp.mails.length;
  const wrong = [
    '',
    'ada',
    'ada@localhost',
    'root@intranet',
    'a@example.org,b@example.org',
    'a\r\nBcc: b@example.org',
  ];
  for (const email of wrong) assert.is((await world.post('/signup', { email })).status, 400, email);
  assert.is((await world.post('/signup', { mail: 'ada@example.org' })).status, 400);
  assert.is(world.smtp.mails.length, before);
});

test('an email address gets three mails for one network, then one in three hours', async ({ world }) => {
  const { clock } = world.gateway;
  const network = { [FORWARDED]: '203.0.113.7' };
  const ask = async () => {
    const { status, headers } = await world.post('/signup', { email: 'often@example.org' }, network);
    return [status, Number(headers.get('retry-after') ?? 0)];
  };
  const asked = [await ask(), await ask(), await ask(), await ask()];
  assert.equal(asked, [...Array(3).fill([200, 0]), [429, 3 * 3600]]);
  clock.now += 3 * HOUR - 1000;
  assert.equal(await ask(), [429, 1]);
  clock.now += 1000;
  assert.equal(await ask(), [200, 0]);
  assert.is((await world.post('/signup', { email: 'other2@example.org' }, network)).status, 200);
  assert.is((await world.post('/signup', { email: 'often@example.org' })).status, 200, 'another network');
  assert.is(
    (await world.post('/account', { email: 'often@example.org' }, network)).status,
    200,
    'another form',
  );
});

test('an email address that others have used up still gets mails for networks that come first', async ({
  world,
}) => {
  const email = 'shut-out@example.org';
  const ask = async (address: string) => await world.post('/signup', { email }, { [FORWARDED]: address });
  for (const site of [1, 2]) for (let n = 0; n < 5; n++) await ask(`2001:db8:${site}:${n}00::1`);
  assert.is((await ask('2001:db8:1:9900::1')).status, 429, 'the same /48');
  assert.is((await ask('2001:db8:3::1')).status, 200, 'a new one');
  assert.is((await ask('2001:db8:3:1::1')).status, 429, 'the same once more');
  for (let site = 4; site < 9; site++) await ask(`2001:db8:${site}::1`);
  const { status, headers } = await ask('192.0.2.1');
  assert.equal([status, headers.get('retry-after')], [429, '3600'], 'the way in opens within an hour');
  assert.is((await world.post('/account', { email })).status, 429, 'for all forms together');
  world.gateway.clock.now += HOUR;
  assert.is((await ask('192.0.2.1')).status, 200);
});

for (const [what, most, addressOf] of [
  ['network', 20, (count) => `2001:db8:a:2::${count}`],
  ['IPv6 /56', 40, (count) => `2001:db8:b:2${count.toString(16).padStart(2, '0')}::1`],
  ['IPv4 /24', 60, (count) => `198.51.100.${count}`],
] as [string, number, (count: number) => string][])
  test(`${most} mails are sent for one ${what} at once, to any email addresses`, async ({ world }) => {
    const name = what.replace(/\W/g, '');
    const ask = (count: number) =>
      world.post('/signup', { email: `${name}${count}@example.org` }, { [FORWARDED]: addressOf(count) });
    for (let count = 0; count < most; count++) assert.is((await ask(count)).status, 200);
    const { status, text } = await ask(most);
    assert.is(status, 429);
    assert.match(text, /role="alert"[^<]*Too many mails were requested. Try again in \d+ minutes/);
  });

test('mails have the public URL, not the host that a request names', async ({ world }) => {
  const host = 'evil.example.net';
  const forged = { Host: host, 'X-Forwarded-Host': host, Forwarded: `host=${host}` };
  const headers = { ...forged, 'Content-Type': 'application/x-www-form-urlencoded' };
  const sent = { method: 'POST', headers, body: 'email=host@example.org' };
  assert.is((await sendPlainly(`${world.gateway.address}/signup`, sent)).status, 200);
  const { text = '' } = world.smtp.mails.at(-1) ?? {};
  assert.ok(text.includes(`${PUBLIC_URL}/signup/key?token=`));
  assert.not.match(text, /evil/);
});

const FROM: [headers: Record<string, string>, status: number][] = [
  [{}, 200],
  [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'https://anything.example.net' }, 200],
  [{ 'Sec-Fetch-Site': 'none' }, 200],
  [{ 'Sec-Fetch-Site': 'same-site' }, 403],
  [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
  [{ 'Sec-Fetch-Site': 'cross-site', Origin: PUBLIC_URL }, 403],
  [{ Origin: PUBLIC_URL }, 200],
  [{ Origin: 'https://evil.example.net' }, 403],
  [{ Origin: 'http://api.example.org' }, 403],
  [{ Origin: 'https://api.example.org.evil.example.net' }, 403],
  [{ Origin: 'null' }, 403],
];
test('forms are accepted only from pages of the gateway', async ({ world }) => {
  const token = tokenIn(await world.askForKey('forger@example.org'));
  const sent = world.smtp.mails.length;
  const before = await listKeys(world.gateway.store);
  for (const [headers, status] of FROM.filter(([, status]) => status === 403)) {
    const what = JSON.stringify(headers);
    for (const [path, fields] of [
      ['/signup', { email: 'victim@example.org' }],
      ['/signup/key', { token }],
    ] as [string, Record<string, string>][])
      assert.is((await world.post(path, fields, headers)).status, status, `${path} ${what}`);
  }
  assert.equal([world.smtp.mails.length, await listKeys(world.gateway.store)], [sent, before]);
  const { host } = new URL(world.gateway.address);
  const good = [...FROM.filter(([, status]) => status === 200), [{ Origin: `http://${host}` }, 200] as const];
  for (const [index, [headers]] of good.entries()) {
    const { status } = await world.post('/signup', { email: `own${index}@example.org` }, headers);
    assert.is(status, 200, JSON.stringify(headers));
  }
});

test('while the mail server is down, the page says when to try again, and nothing is counted', async () => {
  const codes: Record<string, number> = { gone: 550, full: 452 };
  const world = await startWorld((address) => codes[address.split('@')[0] ?? '']);
  try {
    const refused = await world.post('/signup', { email: 'gone@example.org' });
    assert.equal([refused.status, /does not accept mail/.test(refused.text)], [400, true]);
    const network = { [FORWARDED]: '198.51.100.1' };
    await world.smtp.stop();
    for (let attempt = 0; attempt < 12; attempt++) {
      const { status, headers, text } = await world.post('/signup', { email: 'late@example.org' }, network);
      assert.equal([status, headers.get('retry-after')], [503, '120']);
      assert.match(text, /Nothing was lost.*value="late@example.org"/s);
    }
    await world.smtp.start();
    const full = () => world.post('/signup', { email: 'full@example.org' }, network);
    for (const status of [503, 503, 503, 429]) assert.is((await full()).status, status, 'it is counted');
    assert.is((await world.post('/signup', { email: 'late@example.org' }, network)).status, 200);
    const logged = world.gateway.logged.join('\n');
    assert.match(logged, /a mail could not be sent.*"refused"/);
    assert.match(logged, /a mail could not be sent.*ECONNREFUSED/);
    assert.not.match(logged, /example\.org/);
  } finally {
    await world.stop();
  }
});

test.run();
