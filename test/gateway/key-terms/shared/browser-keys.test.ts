import { InputError } from '../../../../gateway/input/input-error.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addNewKey } from '../../../../gateway/store/accounts/accounts.ts';
import { readBrowserEnd, readBrowserTerms } from '../../../../gateway/key-terms/shared/browser-terms.ts';
import { findHolder } from '../../../../gateway/people/accounts/find-holder.ts';
import {
  type KeyOptions,
  keyFields,
  rotate,
  setKeyOptions,
} from '../../../../gateway/key-terms/shared/key-changes.ts';
import type { Key } from '../../../../gateway/access/account.ts';
import { isFromOrigin, readOrigins } from '../../../../gateway/key-terms/shared/origins.ts';
import { transact } from '../../../../gateway/store/transaction.ts';
import { issueKey, startGateway, type TestGateway } from '../../../support/harness.ts';
import { SAMPLE_GAMES } from '../../../support/sample-games.ts';
import { until } from '../../../support/until.ts';

const SITE = 'https://example.org';
const ROSTER = '/api/star-rail/characters';
const HALF_DAY = 43_200;

const test = suite<{ gateway: TestGateway }>('browser keys');
test.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});
test.after(({ gateway }) => gateway.stop());

/** Issues a browser key to a new account. */
async function issue(
  { store, clock }: TestGateway,
  limits: { minute: number; day: number },
  tier: 'free' | 'pro' = 'free',
): Promise<string> {
  const browser = { ...readBrowserTerms({ origins: SITE }), limits };
  const { key } = await transact(store, (transaction) =>
    addNewKey(transaction, {
      email: `${crypto.randomUUID()}@example.org`,
      grant: { tier, pro_until: null },
      options: keyFields({ browser, expires: readBrowserEnd(undefined, clock.now) }),
      now: clock.now,
    }),
  );
  return key;
}

const fromSite = { headers: { Origin: SITE } };

interface Problem {
  code: string;
  detail: string;
  origin: string | null;
  'violated-policies': string[];
}

test('work with an origin of their list only; the problem says what is missing', async ({ gateway }) => {
  const key = await issue(gateway, { minute: 10, day: 200 });
  const { status, headers } = await gateway.ask(ROSTER, { key, ...fromSite });
  assert.equal([status, headers.get('access-control-allow-origin')], [200, '*']);
  const wrong = [undefined, 'https://evil.example', 'http://example.org', 'https://example.org:8443', 'null'];
  for (const origin of wrong) {
    const { status, json, headers } = await gateway.ask(ROSTER, {
      key,
      headers: origin === undefined ? {} : { Origin: origin },
    });
    const { code, detail, origin: seen } = json<Problem>();
    assert.equal([status, code, seen], [403, 'origin-not-allowed', origin ?? null], String(origin));
    assert.match(detail, /^gdr_\w{8}… is a browser key, and the request has (no|the) Origin/);
    assert.not.match(detail, /https:\/\/example\.org\b(?!:)/, 'the list itself is not shown');
    assert.is(headers.get('ratelimit'), null, 'it does not count');
    assert.is(headers.get('access-control-allow-origin'), '*', 'the page can read why');
  }
});

test('a page of the gateway itself, for which browsers send no Origin, is recognized', async ({
  gateway,
}) => {
  const { host } = new URL(gateway.address);
  const same = { host, 'sec-fetch-site': 'same-origin' };
  assert.ok(isFromOrigin([`http://${host}`], same));
  assert.ok(isFromOrigin(['https://api.example.org:8443'], { ...same, host: 'api.example.org' }));
  assert.not(isFromOrigin(['https://example.org'], same));
  assert.not(isFromOrigin([`http://${host}`], { host }));
  assert.not(isFromOrigin([`http://${host}`], { ...same, 'sec-fetch-site': 'same-site' }));
  assert.not(isFromOrigin([`http://${host}`], { ...same, origin: 'null' }));
});

test('have caps of their own within those of the account', async ({ gateway }) => {
  const key = await issue(gateway, { minute: 3, day: 30 });
  for (let n = 1; n <= 3; n++) {
    const { status, headers } = await gateway.ask(ROSTER, { key, ...fromSite });
    assert.is(status, 200);
    assert.is(
      headers.get('ratelimit-policy'),
      '"minute";q=10;w=60, "day";q=200;w=86400, "key-minute";q=3;w=60, "key-day";q=30;w=86400',
    );
    assert.is(
      headers.get('ratelimit'),
      `"minute";r=${10 - n};t=60, "day";r=${200 - n};t=${HALF_DAY}, "key-minute";r=${3 - n};t=60, "key-day";r=${30 - n};t=${HALF_DAY}`,
    );
  }
  const refused = await gateway.ask(ROSTER, { key, ...fromSite });
  const problem = refused.json<Problem>();
  assert.equal(
    [refused.status, problem.code, problem['violated-policies']],
    [429, 'quota-exceeded', ['key-minute']],
  );
  assert.match(problem.detail, /^this key has used its 3 requests in 60 seconds/);
  assert.is(refused.headers.get('retry-after'), '60');
  type Me = {
    usage: { minute: { used: number } };
    key: { browser: { usage: { minute: { used: number } } } };
  };
  const { usage, key: shown } = (await gateway.ask('/api/me', { key, ...fromSite })).json<Me>();
  assert.equal([usage.minute.used, shown.browser.usage.minute.used], [3, 3]);
});

test('count for neither when the account has no request left', async ({ gateway }) => {
  const key = await issue(gateway, { minute: 20, day: 30 });
  for (let n = 0; n < 10; n++) await gateway.ask(ROSTER, { key, ...fromSite });
  const { status, json } = await gateway.ask(ROSTER, { key, ...fromSite });
  assert.equal([status, json<Problem>()['violated-policies']], [429, ['minute']]);
  type Me = { key: { browser: { usage: { day: { used: number } } } } };
  const me = (await gateway.ask('/api/me', { key, ...fromSite })).json<Me>();
  assert.is(me.key.browser.usage.day.used, 10);
});

test('of a Pro account have only their own caps', async ({ gateway }) => {
  const key = await issue(gateway, { minute: 1, day: 30 }, 'pro');
  const first = await gateway.ask(ROSTER, { key, ...fromSite });
  assert.is(first.headers.get('ratelimit-policy'), '"key-minute";q=1;w=60, "key-day";q=30;w=86400');
  const etag = first.headers.get('etag') ?? '';
  const again = await gateway.ask(ROSTER, { key, headers: { ...fromSite.headers, 'If-None-Match': etag } });
  assert.is(again.status, 429, 'a key that is used up gets no 304 either');
});

test('are shown as such by /api/me, without the email address', async ({ gateway }) => {
  const key = await issue(gateway, { minute: 3, day: 30 }, 'pro');
  const me = (await gateway.ask('/api/me', { key, ...fromSite })).json<Record<string, unknown>>();
  const { browser, expires_at } = me.key as Record<string, unknown>;
  const unused = (remaining: number) => ({ used: 0, remaining, resets_at: null });
  assert.equal(browser, {
    origins: [SITE],
    limits: { minute: 3, day: 30 },
    usage: { minute: unused(3), day: unused(30) },
  });
  assert.equal([me.tier, me.email, me.follows, me.limits], ['pro', null, null, null]);
  assert.is(expires_at, new Date(gateway.clock.now + 90 * 86_400_000).toISOString());
});

test('cannot be used to sign in', async ({ gateway: { store, clock }, gateway }) => {
  const key = await issue(gateway, { minute: 3, day: 30 });
  assert.is(await findHolder(store, key, clock.now), undefined);
});

test('keep their origins and caps when they are replaced, and other origins apply at once', async ({
  gateway,
}) => {
  const { store, clock } = gateway;
  const key = await issue(gateway, { minute: 9, day: 30 });
  const change = { by: 'operator', now: clock.now } as const;
  const rotation = await transact(store, (transaction) =>
    rotate(transaction, key.slice(0, 12), { keep: 0, ...change }),
  );
  const { key: next = '', issued } = rotation ?? {};
  assert.equal(issued?.key.browser, { origins: [SITE], limits: { minute: 9, day: 30 } });
  assert.is((await gateway.ask(ROSTER, { key: next, ...fromSite })).status, 200);
  const options: KeyOptions = {
    browser: { origins: ['https://other.example'], limits: { minute: 9, day: 30 } },
  };
  await transact(store, (transaction) => setKeyOptions(transaction, next.slice(0, 12), options, change));
  await until(async () => (await gateway.ask(ROSTER, { key: next, ...fromSite })).status === 403);
});

test('end within 366 days when they are replaced, however far their end was moved', async ({ gateway }) => {
  const { store, clock } = gateway;
  const prefix = (await issue(gateway, { minute: 9, day: 30 })).slice(0, 12);
  const change = { by: 'operator', now: clock.now } as const;
  const rotation = await transact(store, async (transaction) => {
    await setKeyOptions(transaction, prefix, { expires: clock.now + 700 * 86_400_000 }, change);
    return await rotate(transaction, prefix, { keep: 0, ...change });
  });
  assert.is(rotation?.issued.key.expires_at, new Date(clock.now + 366 * 86_400_000).toISOString());
});

test('alone have that limit: another key that is replaced gets the whole time of the old one', async ({
  gateway,
}) => {
  const { store, clock } = gateway;
  const prefix = (await issueKey(store, 'pro', 'long@example.org')).slice(0, 12);
  const expires = clock.now + 700 * 86_400_000;
  const change = { by: 'operator', now: clock.now } as const;
  const rotation = await transact(store, async (transaction) => {
    const old = await setKeyOptions(transaction, prefix, { expires }, change);
    return { old, next: await rotate(transaction, prefix, { keep: 0, ...change }) };
  });
  const { key } = rotation.next?.issued ?? {};
  const termOf = (one?: Key) => Date.parse(one?.expires_at ?? '') - Date.parse(one?.created_at ?? '');
  assert.ok(termOf(key) >= 700 * 86_400_000, `${termOf(key)} ms`);
  assert.is(termOf(key), termOf(rotation.old));
});

test('preflights allow the header fields that pages send', async ({ gateway }) => {
  const { status, headers } = await gateway.ask(ROSTER, {
    method: 'OPTIONS',
    key: null,
    headers: {
      ...fromSite.headers,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization,content-type,x-api-key',
    },
  });
  const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
  assert.is(status, 204);
  for (const name of ['authorization', 'content-type', 'x-api-key']) assert.ok(allowed.includes(name), name);
});

test('lists of origins are read as browsers send them, and wrong ones refused', () => {
  assert.equal(
    readOrigins('https://Example.org/, HTTPS://example.org:443\nhttp://localhost:8080 https://ü.example'),
    ['https://example.org', 'http://localhost:8080', 'https://xn--tda.example'],
  );
  const wrong = [
    '',
    '*',
    'null',
    'example.org',
    'https://*.example.org',
    'https://example.org/app',
    'ftp://example.org',
  ];
  for (const text of [
    ...wrong,
    'https://a@example.org',
    'https://example.org?',
    'file:///x',
    `https://${'a'.repeat(300)}`,
  ])
    assert.throws(
      () => readOrigins(text),
      (error: unknown) => error instanceof InputError,
      text,
    );
  const many = Array.from({ length: 11 }, (_, n) => `https://${n}.example`);
  assert.throws(() => readOrigins(many.join()), /has 11 origins, expected at most 10/);
  assert.is(readOrigins(many.slice(1).join()).length, 10);
});

test('have an end and caps within bounds', ({ gateway: { clock } }) => {
  assert.throws(() => readBrowserEnd(null, clock.now), /has to end/);
  assert.throws(() => readBrowserEnd(clock.now + 367 * 86_400_000, clock.now), /within 366 days/);
  for (const minute of ['0', '601', '-1', '1.5', 'x', '1e2'])
    assert.throws(
      () => readBrowserTerms({ origins: SITE, minute }),
      /is not a cap, expected 1 to 600/,
      minute,
    );
  const terms = readBrowserTerms({ origins: SITE, minute: '60', day: '' });
  assert.equal(terms.limits, { minute: 60, day: 200 });
  assert.equal(readBrowserTerms({ day: '900' }, terms), {
    origins: [SITE],
    limits: { minute: 60, day: 900 },
  });
});

test.run();
