import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listKeys } from '../../../../gateway/store/keys.ts';
import { sendOnRequest } from '../../../../gateway/people/mail/send-on-request.ts';
import { checkPageHeaders } from '../../../support/page-headers.ts';
import { sendPlainly } from '../../../support/plain-request.ts';
import { PUBLIC_URL } from '../mail/world.ts';
import { FORWARDED, linkIn, type SignupWorld, startSignup, tokenIn } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const form = suite<{ world: SignupWorld }>('the sign-up form');
form.before(async (context) => {
  context.world = await startSignup();
});
form.after(({ world }) => world.stop());

form('is a page without inline scripts and without links to other sites', async ({ world }) => {
  const { status, headers, text } = await world.get('/signup');
  assert.equal([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  assert.match(text, /<label for="email">/);
  assert.not.match(text, /<script>|javascript:|https?:/);
});

form(
  'gets the same response whether or not the email address has an account; only the mail differs',
  async ({ world }) => {
    const token = tokenIn(await world.askForLink('known@example.org'));
    await world.post('/signup/key', { token });
    const responses = [];
    for (const email of ['known@example.org', 'other@example.org']) {
      const { status, headers, text } = await world.post('/signup', { email });
      const names = [...headers.keys()].filter((name) => name !== 'content-length');
      responses.push([status, names, headers.get('content-security-policy'), text.replaceAll(email, '…')]);
    }
    assert.equal(responses[0], responses[1]);
    const [known = '', other = ''] = world.smtp.mails.slice(-2).map(({ text }) => text);
    assert.match(known, /already has an account/);
    assert.not.match(other, /already has an account/);
    assert.is.not(linkIn(known), linkIn(other));
  },
);

form('says what is wrong with an email address, and escapes what was typed', async ({ world }) => {
  const typed = '"><script>alert(1)</script>@example.org';
  const { status, text } = await world.post('/signup', { email: typed });
  assert.is(status, 400);
  assert.not.match(text, /<script>/);
  assert.match(text, /value="&quot;>&lt;script/);
  assert.match(text, /role="alert"/);
  const before = world.smtp.mails.length;
  for (const email of [
    '',
    'ada',
    'ada@localhost',
    'root@intranet',
    'ada@example.org,bob@example.org',
    'a\r\nBcc: b@example.org',
  ]) {
    assert.is((await world.post('/signup', { email })).status, 400, email);
  }
  assert.is((await world.post('/signup', { mail: 'ada@example.org' })).status, 400);
  assert.is(world.smtp.mails.length, before);
});

form('mails an email address three times for one network, then once in three hours', async ({ world }) => {
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
  assert.is((await ask())[0], 429);
  assert.is((await world.post('/signup', { email: 'other2@example.org' }, network)).status, 200);
  assert.is((await world.post('/signup', { email: 'often@example.org' })).status, 200, 'another network');
});

form(
  'mails an email address, in all its spellings, ten times for networks that come again',
  async ({ world }) => {
    const SPELLINGS = ['a.da@gmail.com', 'ad.a+x@googlemail.com', 'ada+1@gmail.com', 'ADA@GMAIL.COM'];
    const ask = async (email: string, network: number) =>
      (await world.post('/signup', { email }, { [FORWARDED]: `198.18.${network}.1` })).status;
    for (let count = 0; count < 10; count++)
      assert.is(await ask(SPELLINGS[count % SPELLINGS.length] as string, count % 5), 200, String(count));
    for (const email of SPELLINGS) assert.is(await ask(email, 0), 429, email);
    assert.is(await ask('a.da@example.org', 0), 200);
    assert.is(await ask('ada@example.org', 0), 200, 'dots count elsewhere');
  },
);

form(
  'mails an email address that others have used up to a network that asks for it first',
  async ({ world }) => {
    const email = 'shut-out@example.org';
    const ask = async (address: string) => world.post('/signup', { email }, { [FORWARDED]: address });
    for (const site of [1, 2]) for (let n = 0; n < 5; n++) await ask(`2001:db8:${site}:${n}00::1`);
    assert.is((await ask('2001:db8:1:9900::1')).status, 429, 'the same /48');
    assert.is((await ask('2001:db8:3::1')).status, 200, 'a new one');
    assert.is((await ask('2001:db8:3:1::1')).status, 429, 'the same once more');
    for (let site = 4; site < 9; site++) await ask(`2001:db8:${site}::1`);
    const { status, headers } = await ask('192.0.2.1');
    assert.equal([status, headers.get('retry-after')], [429, '3600'], 'the way in opens within an hour');
    world.gateway.clock.now += HOUR;
    assert.is((await ask('192.0.2.1')).status, 200);
  },
);

form(
  'mails an owner although fifteen networks of one IPv6 /56 have asked for all they get',
  async ({ world }) => {
    const email = 'owner@example.org';
    const ask = async (address: string) =>
      (await world.post('/signup', { email }, { [FORWARDED]: address })).status;
    const statuses: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      for (let n = 0; n < 15; n++)
        statuses.push(await ask(`2001:db8:56:1${n.toString(16).padStart(3, '0')}::1`));
      world.gateway.clock.now += MINUTE;
    }
    assert.is(statuses.filter((status) => status === 200).length, 4);
    assert.equal([await ask('203.0.113.200'), await ask('2001:db8:57::1')], [200, 200]);
  },
);

form('sends what sign-in and claims have used up', async ({ world }) => {
  const { gateway } = world;
  const log = { info() {}, error() {}, access() {} };
  const mailer = { send: async () => {} };
  const services = { store: gateway.store, now: () => gateway.clock.now, log, mailer };
  const write = async () => ({ to: 'two@example.org', subject: 'x', text: 'x' });
  const signIn = { form: 'sign-in', to: 'two@example.org', client: '192.0.2.77', write } as const;
  const outcomes = [1, 2, 3, 4].map(() => sendOnRequest(signIn, services));
  const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
  assert.equal(kinds.sort(), ['limited', 'sent', 'sent', 'sent']);
  const headers = { [FORWARDED]: '192.0.2.77' };
  assert.is((await world.post('/signup', { email: 'two@example.org' }, headers)).status, 200);
});

for (const [what, most, addressOf] of [
  ['network', 20, (count) => `2001:db8:a:2::${count}`],
  ['IPv6 /56', 40, (count) => `2001:db8:b:2${count.toString(16).padStart(2, '0')}::1`],
  ['IPv6 /48', 60, (count) => `2001:db8:c:${count}00::1`],
  ['IPv4 /24', 60, (count) => `198.51.100.${count}`],
] as [string, number, (count: number) => string][])
  form(`accepts ${most} requests of one ${what} at once, for any email addresses`, async ({ world }) => {
    const ask = (count: number) =>
      world.post(
        '/signup',
        { email: `${what.replace(/\W/g, '')}${count}@example.org` },
        { [FORWARDED]: addressOf(count) },
      );
    for (let count = 0; count < most; count++) assert.is((await ask(count)).status, 200);
    const { status, text } = await ask(most);
    assert.is(status, 429);
    assert.match(text, /role="alert"[^<]*Too many mails were requested. Try again in \d+ minutes/);
  });

form('ignores client addresses that a client forges', async ({ world }) => {
  for (let count = 0; count < 20; count++) {
    const forged = { [FORWARDED]: `203.0.113.${count}, 198.51.101.2` };
    assert.is((await world.post('/signup', { email: `forged${count}@example.org` }, forged)).status, 200);
  }
  const forged = { [FORWARDED]: '203.0.113.99, 198.51.101.2' };
  assert.is((await world.post('/signup', { email: 'forged20@example.org' }, forged)).status, 429);
});

form('puts the public URL into mails, not the host that a request names', async ({ world }) => {
  const headers = {
    Host: 'evil.example.net',
    'X-Forwarded-Host': 'evil.example.net',
    Forwarded: 'host=evil.example.net',
    'Content-Type': 'application/x-www-form-urlencoded',
  };
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
form('accepts forms only from its own pages', async ({ world }) => {
  const token = tokenIn(await world.askForLink('forger@example.org'));
  const sent = world.smtp.mails.length;
  const before = await listKeys(world.gateway.store);
  for (const [headers, status] of FROM) {
    if (status !== 403) continue;
    const what = JSON.stringify(headers);
    assert.is((await world.post('/signup', { email: 'victim@example.org' }, headers)).status, 403, what);
    assert.is((await world.post('/signup/key', { token }, headers)).status, 403, what);
  }
  assert.equal([world.smtp.mails.length, await listKeys(world.gateway.store)], [sent, before]);
  for (const [index, [headers, status]] of FROM.entries()) {
    if (status !== 200) continue;
    const { status: actual } = await world.post('/signup', { email: `own${index}@example.org` }, headers);
    assert.is(actual, 200, JSON.stringify(headers));
  }
  const { host } = new URL(world.gateway.address);
  const own = await world.post('/signup', { email: 'own@example.org' }, { Origin: `http://${host}` });
  assert.is(own.status, 200, 'reached without its proxy');
});

form('sends every page with headers that forbid caching and frames', async ({ world }) => {
  const link = await world.askForLink('heads@example.org');
  const pages = [
    await world.get('/signup'),
    await world.get(link),
    await world.post('/signup', { email: 'x' }),
    await world.post('/signup/key', { token: tokenIn(link) }),
    await world.get(link),
  ];
  assert.equal(
    pages.map(({ status }) => status),
    [200, 200, 400, 200, 410],
  );
  for (const each of pages) checkPageHeaders(each);
});

form('writes no tokens, keys or email addresses to the log', async ({ world }) => {
  const link = await world.askForLink('private@example.org');
  await world.get(link);
  const { text } = await world.post('/signup/key', { token: tokenIn(link) });
  await new Promise((resolve) => setImmediate(resolve));
  const logged = world.gateway.logged.join('\n');
  assert.match(logged, /"path":"\/signup\/key"/);
  assert.match(logged, /"message":"a key was issued by mail"/);
  assert.not.ok(logged.includes(tokenIn(link)));
  assert.not.match(logged, /example\.org/);
  assert.not.match(logged, /gdr_[a-z2-7]{9}/);
  assert.match(text, /gdr_[a-z2-7]{9}/);
});

form.run();
