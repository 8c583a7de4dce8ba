import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listKeys } from '../../../../gateway/people/accounts/accounts.ts';
import { nameLimits } from '../../../../gateway/people/accounts/name-counters.ts';
import { StoreError } from '../../../../gateway/store/store.ts';
import { checkPageHeaders } from '../../../support/page-headers.ts';
import { sendPlainly } from '../../../support/plain-request.ts';
import { PUBLIC_URL } from '../mail/world.ts';
import { FORWARDED, linkIn, type SignupWorld, startSignup, tokenIn } from './world.ts';

const MINUTE = 60_000;

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
  assert.match(text, /value="&#34;&#62;&#60;script/);
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

form(
  'mails an email address twice in a minute and five times in a day for one network',
  async ({ world }) => {
    const { clock } = world.gateway;
    const network = { [FORWARDED]: '203.0.113.7' };
    const ask = async () => {
      const { status, headers } = await world.post('/signup', { email: 'often@example.org' }, network);
      return [status, Number(headers.get('retry-after') ?? 0)];
    };
    assert.equal(
      [await ask(), await ask(), await ask()],
      [
        [200, 0],
        [200, 0],
        [429, 60],
      ],
    );
    clock.now += MINUTE;
    assert.equal(
      [await ask(), await ask()],
      [
        [200, 0],
        [200, 0],
      ],
    );
    clock.now += MINUTE;
    assert.equal(await ask(), [200, 0]);
    clock.now += MINUTE;
    const [status, seconds = 0] = await ask();
    assert.is(status, 429);
    assert.is((clock.now + seconds * 1000) % (24 * 60 * MINUTE), 0, 'until midnight');
    assert.is((await world.post('/signup', { email: 'other2@example.org' }, network)).status, 200);
    assert.is((await world.post('/signup', { email: 'often@example.org' })).status, 200, 'another network');
  },
);

form('mails an email address thirty times in a day at most, in all its spellings', async ({ world }) => {
  const { clock } = world.gateway;
  clock.now = Math.ceil(clock.now / (24 * 60 * MINUTE)) * 24 * 60 * MINUTE;
  const SPELLINGS = ['a.da@gmail.com', 'ad.a+x@googlemail.com', 'ada+1@gmail.com', 'ADA@GMAIL.COM'];
  const ask = async (email: string) => (await world.post('/signup', { email })).status;
  for (let count = 0; count < 30; count++) {
    assert.is(await ask(SPELLINGS[count % SPELLINGS.length] as string), 200, String(count));
    if (count % 6 === 5) clock.now += MINUTE;
  }
  for (const email of SPELLINGS) assert.is(await ask(email), 429, email);
  assert.is(await ask('a.da@example.org'), 200);
  assert.is(await ask('ada@example.org'), 200, 'dots count elsewhere');
});

form('counts mails under names that nobody can compute from an email address', async ({ world }) => {
  assert.is((await world.post('/signup', { email: 'hidden@example.org' })).status, 200);
  const { store } = world.gateway;
  const name = 'mail-address:hidden@example.org';
  const plain = createHash('sha256').update(name).digest('hex');
  const [keyed = ''] = await nameLimits(store, [name]);
  const [known, computed] = await Promise.all([keyed, plain].map((id) => store.readCounters(id)));
  assert.equal([known?.counters.count, computed?.counters.count], [1, 0]);
});

form('accepts ten requests of a network in a minute, for any email addresses', async ({ world }) => {
  const ask = (count: number, network: string) =>
    world.post('/signup', { email: `crowd${count}@example.org` }, { [FORWARDED]: network });
  for (let count = 0; count < 10; count++) {
    assert.is((await ask(count, `2001:db8:1:2::${count}`)).status, 200);
  }
  const { status, headers, text } = await ask(10, '2001:db8:1:2:ffff::1');
  assert.equal([status, headers.get('retry-after')], [429, '60']);
  assert.match(text, /role="alert"[^<]*Too many mails were requested. Try again in 60 seconds/);
  assert.is((await ask(10, '2001:db8:1:3::1')).status, 200, 'the next network');
});

form('accepts thirty requests of an IPv6 site in a minute, from all its networks', async ({ world }) => {
  const ask = (count: number, site: string) =>
    world.post(
      '/signup',
      { email: `site${count}@example.org` },
      { [FORWARDED]: `2001:db8:${site}:${count}::1` },
    );
  for (let count = 0; count < 30; count++) assert.is((await ask(count, 'a')).status, 200);
  assert.is((await ask(30, 'a')).status, 429);
  assert.is((await ask(30, 'b')).status, 200);
});

form('ignores client addresses that a client forges', async ({ world }) => {
  for (let count = 0; count < 10; count++) {
    const forged = { [FORWARDED]: `203.0.113.${count}, 198.51.100.2` };
    assert.is((await world.post('/signup', { email: `forged${count}@example.org` }, forged)).status, 200);
  }
  const forged = { [FORWARDED]: '203.0.113.99, 198.51.100.2' };
  assert.is((await world.post('/signup', { email: 'forged10@example.org' }, forged)).status, 429);
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

form('responds 503 while the store fails, and sends no mail', async ({ world }) => {
  const { store } = world.gateway;
  const { read, commit, countRequest } = store;
  const fail = () => Promise.reject(new StoreError('the disk is gone'));
  const before = world.smtp.mails.length;
  try {
    for (const broken of [{ countRequest: fail }, { read: fail, commit: fail }]) {
      Object.assign(store, broken);
      const { status, headers, text } = await world.post('/signup', { email: 'disk@example.org' });
      assert.equal([status, headers.get('retry-after')], [503, '5']);
      assert.not.match(text, /disk is gone/);
      Object.assign(store, { read, commit, countRequest });
    }
  } finally {
    Object.assign(store, { read, commit, countRequest });
  }
  assert.is(world.smtp.mails.length, before);
});

form.run();
