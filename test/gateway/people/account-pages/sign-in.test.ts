import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../../gateway/access/api-key.ts';
import { MAX_FAILED } from '../../../../gateway/access/attempts.ts';
import { clearCookie, readCookie, setCookie } from '../../../../gateway/people/account-pages/cookie.ts';
import { deleteAccount, exportAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { issueKey } from '../../../support/harness.ts';
import { contentOf } from '../../../support/store-content.ts';
import { onEachDriver } from '../../store/on-each-store.ts';
import { tokenIn } from '../signup/world.ts';
import { hiddenFields } from './browser.ts';
import { type AccountWorld, startAccounts } from './world.ts';

const MINUTE = 60_000;
const COOKIE = '__Host-session';

onEachDriver<{ world: AccountWorld }>('signing in', (test, all, makePlace) => {
  all.before.each(async (context) => {
    context.world ??= await startAccounts(makePlace);
  });
  all.after(({ world }) => world?.stop());

  test('a link signs in once, when its button is clicked, and not when it is only followed', async ({
    world,
  }) => {
    await issueKey(world.gateway.store, 'free', 'ann@example.org');
    const browser = world.open();
    const link = await world.askForLink(browser, 'ann@example.org');
    for (let visit = 0; visit < 3; visit++) {
      const page = await browser.get(link);
      assert.equal([page.status, page.headers.get('set-cookie')], [200, null]);
      assert.match(page.text, /ann@example\.org/);
    }
    assert.not.match((await browser.get('/account')).text, /Sign out/);
    const page = await browser.submit(await browser.get(link), '/account/enter');
    assert.is(page.status, 200);
    assert.match(page.text, /ann@example\.org[\s\S]*Sign out/);
    for (const again of [
      await browser.get(link),
      await world.open().post('/account/enter', { token: tokenIn(link) }),
    ]) {
      assert.equal([again.status, again.headers.get('set-cookie')], [410, null]);
    }
  });

  test('only one of many simultaneous clicks begins a session', async ({ world }) => {
    await issueKey(world.gateway.store, 'free', 'ben@example.org');
    const token = tokenIn(await world.askForLink(world.open(), 'ben@example.org'));
    const clicks = Array.from({ length: 10 }, () => world.open().post('/account/enter', { token }));
    const statuses = (await Promise.all(clicks)).map(({ status }) => status);
    assert.equal(statuses.sort(), [303, ...Array(9).fill(410)]);
  });

  test('a link is valid for 30 minutes, and a session for an hour', async ({ world }) => {
    const { clock } = world.gateway;
    await issueKey(world.gateway.store, 'free', 'cem@example.org');
    const browser = world.open();
    const late = await world.askForLink(browser, 'cem@example.org');
    clock.now += 30 * MINUTE;
    assert.is((await browser.get(late)).status, 410);
    assert.is((await browser.post('/account/enter', { token: tokenIn(late) })).status, 410);
    const offer = await browser.get(await world.askForLink(browser, 'cem@example.org'));
    const page = await browser.submit(offer, '/account/enter');
    clock.now += 60 * MINUTE - 1;
    assert.match((await browser.get('/account')).text, /Sign out/);
    clock.now += 1;
    assert.not.match((await browser.get('/account')).text, /Sign out/);
    const refused = await browser.submit(page, '/account/keys/issue');
    assert.is(refused.status, 403);
    assert.match(refused.text, /no longer signed in\. Nothing was changed/);
    assert.not.match(refused.text, /gdr_/);
  });

  test('signing out also ends the session of a copied cookie', async ({ world }) => {
    const { browser, page } = await world.signIn('dan@example.org');
    const thief = world.open();
    for (const [cookie, value] of browser.cookies) thief.cookies.set(cookie, value);
    assert.match((await thief.get('/account')).text, /dan@example\.org/);
    assert.match((await browser.submit(page, '/account/leave')).text, /Send the link/);
    assert.is(browser.cookies.size, 0);
    assert.not.match((await thief.get('/account')).text, /dan@example\.org/);
  });

  test('signing in again ends the previous session', async ({ world }) => {
    const { browser } = await world.signIn('eve@example.org');
    const before = browser.cookies.get(COOKIE) ?? '';
    const offer = await browser.get(await world.askForLink(browser, 'eve@example.org'));
    await browser.submit(offer, '/account/enter');
    assert.is.not(browser.cookies.get(COOKIE), before);
    const other = world.open();
    other.cookies.set(COOKIE, before);
    assert.not.match((await other.get('/account')).text, /Sign out/);
  });

  test('the store contains neither tokens of links nor tokens of sessions', async ({ world }) => {
    const { browser } = await world.signIn('fay@example.org');
    const waiting = tokenIn(await world.askForLink(browser, 'fay@example.org'));
    const session = browser.cookies.get(COOKIE) ?? '';
    const { csrf_token = '' } = hiddenFields(await browser.get('/account'), '/account/leave');
    const kept = await contentOf(world.gateway.store);
    assert.ok(kept.includes('fay@example.org'), 'the test reads what the store holds');
    for (const secret of [waiting, session, csrf_token]) {
      assert.ok(secret.length > 30);
      assert.not.ok(kept.includes(secret));
    }
    assert.ok(kept.includes(createHash('sha256').update(session).digest('hex')));
  });
});

const entry = suite<{ world: AccountWorld }>('sign-in');
entry.before(async (context) => {
  context.world = await startAccounts();
});
entry.after(({ world }) => world.stop());

entry(
  'the page is the same whether or not the email address has an account; only the mail differs',
  async ({ world }) => {
    await issueKey(world.gateway.store, 'free', 'known@example.org');
    const responses = [];
    for (const email of ['known@example.org', 'other@example.org']) {
      const { status, headers, text } = await world.open().post('/account', { email });
      const names = [...headers.keys()].filter((name) => name !== 'content-length');
      responses.push([status, names, text.replaceAll(email, '…')]);
    }
    assert.equal(responses[0], responses[1]);
    const [known = '', other = ''] = world.smtp.mails.slice(-2).map(({ text }) => text);
    assert.match(known, /\/account\/enter\?token=/);
    assert.match(other, /this address has no account[\s\S]*\/signup\n/);
    assert.not.match(other, /token=/);
  },
);

entry('the cookie is for this host and an hour, and scripts cannot read it', async ({ world }) => {
  await issueKey(world.gateway.store, 'free', 'gus@example.org');
  const browser = world.open();
  const token = tokenIn(await world.askForLink(browser, 'gus@example.org'));
  const { headers } = await browser.post('/account/enter', { token });
  assert.match(
    headers.get('set-cookie') ?? '',
    /^__Host-session=[0-9a-z]{31}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
  );
  assert.is(headers.get('location'), '/account');
});

entry('without TLS, in development, the cookie is one that browsers accept over http://', () => {
  const plain = 'http://localhost:3000';
  assert.equal(setCookie(plain, 'abc'), {
    'Set-Cookie': 'session=abc; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax',
  });
  assert.match(String(clearCookie(plain)['Set-Cookie']), /^session=; Path=\/; Max-Age=0; /);
  const read = (cookie: string, url: string) =>
    readCookie({ headers: { cookie } } as Parameters<typeof readCookie>[0], url);
  assert.is(read('a=1; session=abc; b=2', plain), 'abc');
  assert.is(read('xsession=abc', plain), '');
  // A page of the same host without TLS could have set this cookie.
  assert.is(read('session=abc', 'https://api.example.org'), '');
  assert.is(read('session=abc; __Host-session=def', 'https://api.example.org'), 'def');
  // Browsers treat this as another name, so any host of the domain could set it.
  assert.is(read('\u00a0__Host-session=abc', 'https://api.example.org'), '');
  assert.is(read('a=1;__Host-session=abc ;__Host-session=def', 'https://api.example.org'), 'abc');
  for (const cookie of ['', ';', '=', 'session', '; session ;', '__Host-session'])
    assert.is(read(cookie, 'https://api.example.org'), '', cookie);
});

entry('a wrong token, and the link of a deleted account, do not sign in', async ({ world }) => {
  await issueKey(world.gateway.store, 'free', 'hal@example.org');
  const browser = world.open();
  const link = await world.askForLink(browser, 'hal@example.org');
  for (const token of ['', 'x', tokenIn(link).toUpperCase(), `${tokenIn(link)}0`]) {
    assert.is((await browser.post('/account/enter', { token })).status, 410);
  }
  await deleteAccount(world.gateway.store, 'hal@example.org');
  assert.is(
    (await browser.post('/account/enter', { token: tokenIn(link) })).status,
    410,
    'the account is gone',
  );
});

entry(
  'a network that tries many links and keys is refused, except for those that work',
  async ({ world }) => {
    const key = await issueKey(world.gateway.store, 'free', 'ivy@example.org');
    const email = 'ivy@example.org';
    const browser = world.open();
    const link = await world.askForLink(browser, email);
    const attempts = [
      () => browser.get('/account/enter?token=x'),
      () => browser.post('/account/enter', { token: 'x' }),
      () => browser.post('/account', { email, key: createKey().key }),
    ];
    const statuses: number[] = [];
    for (let n = 0; n < MAX_FAILED / 3 + 1; n++)
      for (const attempt of attempts) statuses.push((await attempt()).status);
    assert.equal(new Set(statuses.slice(0, MAX_FAILED)), new Set([410, 400]));
    assert.equal(statuses.slice(MAX_FAILED), [429, 429, 429]);
    assert.is((await world.open().get('/account/enter?token=x')).status, 410, 'another network');
    assert.is((await browser.post('/account', { email, key })).status, 200, 'a key that works');
    const offer = await browser.get(link);
    assert.match((await browser.submit(offer, '/account/enter')).text, /ivy@example\.org/);
  },
);

entry(
  'an invalid email address and one with too many mails are refused with the reason',
  async ({ world }) => {
    const browser = world.open();
    const none = await browser.post('/account', { email: '"><script>@example.org' });
    assert.is(none.status, 400);
    assert.not.match(none.text, /<script>/);
    await world.askForLink(browser, 'known@example.org').catch(() => undefined);
    const limited = [1, 2, 3, 4].map(() => browser.post('/account', { email: 'often@example.org' }));
    const statuses = (await Promise.all(limited)).map(({ status }) => status);
    assert.equal(statuses.sort(), [200, 200, 200, 429]);
  },
);

entry('the owner of a key gets a link when others have used up the mails of the day', async ({ world }) => {
  const key = await issueKey(world.gateway.store, 'free', 'kim@example.org');
  const other = await issueKey(world.gateway.store, 'free', 'lee@example.org');
  const email = 'kim@example.org';
  // Ten for networks that come again, and six for those that come first.
  const [first, ...others] = Array.from({ length: 7 }, () => world.open());
  for (const browser of [first, others[0], others[1], others[2]])
    for (let count = 0; count < 3; count++) await browser?.post('/account', { email });
  for (const browser of [...others, ...Array.from({ length: 3 }, () => world.open())])
    await browser.post('/account', { email });
  const browser = world.open();
  assert.is((await browser.post('/account', { email })).status, 429);
  for (const wrong of [other, 'gdr_wrong']) {
    const refused = await browser.post('/account', { email, key: wrong });
    assert.equal([refused.status, /not a working key of the account/.test(refused.text)], [400, true]);
    assert.not.match(refused.text, /gdr_/);
  }
  const before = world.smtp.mails.length;
  assert.is((await browser.post('/account', { email, key })).status, 200);
  assert.is(world.smtp.mails.length, before + 1);
  const statuses = [
    await browser.post('/account', { email, key }),
    await browser.post('/account', { email, key }),
    await browser.post('/account', { email, key }),
  ];
  assert.equal(
    statuses.map(({ status }) => status),
    [200, 200, 429],
    'with limits too',
  );
});

entry('an export lists sessions and links, and deletion ends them', async ({ world }) => {
  const { browser } = await world.signIn('ida@example.org');
  const link = await world.askForLink(browser, 'ida@example.org');
  const at = new Date(world.gateway.clock.now).toISOString();
  const kept = (await exportAccount(world.gateway.store, 'ida@example.org')) as Record<string, unknown>;
  assert.equal([kept.sessions, kept.links], [[at], [{ purpose: 'sign-in', created_at: at }]]);
  await deleteAccount(world.gateway.store, 'ida@example.org');
  assert.not.match((await browser.get('/account')).text, /Sign out/);
  assert.is((await browser.get(link)).status, 410);
});

entry('the log contains neither tokens nor email addresses', async ({ world }) => {
  const { browser } = await world.signIn('jon@example.org');
  await browser.get('/account');
  await new Promise((resolve) => setImmediate(resolve));
  const logged = world.gateway.logged.join('\n');
  assert.match(logged, /"path":"\/account\/enter"/);
  assert.not.match(logged, /example\.org|token=/);
  assert.not.ok(logged.includes(browser.cookies.get(COOKIE) ?? '-'));
});

entry.run();
