import * as assert from 'uvu/assert';
import { readKey } from '../../../../gateway/access/api-key.ts';
import { findKey } from '../../../../gateway/store/keys.ts';
import { listKeys } from '../../../../gateway/store/keys.ts';
import { accountByEmail } from '../../../../gateway/people/accounts/account-records.ts';
import { beginSession, MAX_SESSIONS, sessionsOf } from '../../../../gateway/people/accounts/session.ts';
import { readEvents } from '../../../../gateway/people/audit/audit-log.ts';
import { deleteAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { describeBrowser } from '../../../../gateway/people/web/describe-browser.ts';
import { transact } from '../../../../gateway/store/records.ts';
import { issueKey } from '../../../support/harness.ts';
import { sendPlainly } from '../../../support/plain-request.ts';
import { until } from '../../../support/until.ts';
import { PUBLIC_URL } from '../mail/world.ts';
import { onEachDriver } from '../../store/on-each-store.ts';
import type { BrowserPage } from './browser.ts';
import { type AccountWorld, startAccounts } from './world.ts';

const HOUR = 3_600_000;
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CHROME =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const EDGE = `${CHROME} Edg/140.0.0.0`;

/** The rows of the table of sessions, without the buttons. */
function rowsOf({ text }: BrowserPage): string[] {
  const [, section = ''] = /id="sessions"(.*)id="events"/s.exec(text) ?? [];
  const rows = section.split('<tr>').slice(2);
  return rows.map((row) =>
    row
      .split('</table>')[0]
      ?.replace(/<form.*?<\/form>|<\/(?:td|tr)>|<\/?time[^>]*>/gs, '')
      .split('<td>')
      .map((cell) => cell.trim())
      .join('|'),
  ) as string[];
}

/** The id of the session that a button in a row ends. */
function idsOf({ text }: BrowserPage): string[] {
  return [...text.matchAll(/name="id" value="([0-9a-f]{16})"/g)].map(([, id = '']) => id);
}

onEachDriver<{ world: AccountWorld }>('sessions', (test, all, makePlace) => {
  all.before.each(async (context) => {
    context.world ??= await startAccounts(makePlace);
  });
  all.after(({ world }) => world?.stop());

  const eventsOf = async ({ gateway: { store } }: AccountWorld, email: string) => {
    const id = (await accountByEmail(store, email))?.account.id ?? '';
    return (await readEvents(store, id)).reverse();
  };

  test('are listed with their begin, last use, network and browser, and ended one by one', async ({
    world,
  }) => {
    const { clock, store } = world.gateway;
    await issueKey(store, 'free', 'ann@example.org');
    clock.now = Math.ceil(clock.now / HOUR) * HOUR + 50 * 60_000;
    const home = world.open('192.0.2.1', FIREFOX);
    const away = world.open('2001:db8:1:2:3::4', `${CHROME} <script>`);
    await world.enter(home, 'ann@example.org');
    clock.now += 60_000;
    await world.enter(away, 'ann@example.org');
    clock.now += 20 * 60_000;
    const page = await home.get('/account');
    const at = (minutes: number) => {
      const time = new Date(clock.now - minutes * 60_000).toISOString();
      return `${time.slice(0, 16).replace('T', ' ')} UTC`;
    };
    const [begunAway, begunHome, hour] = [at(20), at(21), at(11)];
    assert.equal(rowsOf(page), [
      `|${begunAway}|${begunAway}|2001:db8:1:2::/64|Chrome on Android|`,
      `|${begunHome}|${hour}|192.0.2.1|Firefox on Windows|this one`,
    ]);
    assert.not.match(page.text, /<script>/);

    const [id = ''] = idsOf(page);
    const left = await home.submit(page, '/account/sessions/end', { id });
    assert.is(rowsOf(left).length, 1);
    assert.match((await away.get('/account')).text, /Send the link/);
    for (const wrong of [id, '', 'x', '0123456789abcdef']) {
      const refused = await home.submit(left, '/account/sessions/end', { id: wrong });
      assert.equal([refused.status, /has ended already/.test(refused.text)], [400, true], wrong);
    }
    assert.equal(
      (await eventsOf(world, 'ann@example.org')).map(({ event, network }) => [event, network]),
      [
        ['key.made', null],
        ['session.begun-elsewhere', '192.0.2.1'],
        ['session.begun-elsewhere', '2001:db8:1:2::/64'],
        ['session.ended', '192.0.2.1'],
      ],
    );
  });

  test('of an account can all be ended at once, and those of others stay', async ({ world }) => {
    await issueKey(world.gateway.store, 'free', 'ben@example.org');
    const browsers = [world.open(), world.open(), world.open()];
    for (const browser of browsers) await world.enter(browser, 'ben@example.org');
    const other = await world.signIn('cem@example.org');
    const page = await (browsers[0] as (typeof browsers)[0]).get('/account');
    const foreign = await other.browser.submit(other.page, '/account/sessions/end', {
      id: idsOf(page)[0] ?? '',
    });
    assert.is(foreign.status, 400);
    const ended = await browsers[0]?.submit(page, '/account/sessions/end', { id: 'all' });
    assert.match(ended?.text ?? '', /Send the link/);
    for (const browser of browsers) assert.match((await browser.get('/account')).text, /Send the link/);
    assert.match((await other.browser.get('/account')).text, /Sign out/);
  });

  test('have a browser key, which ends with them and counts as none of the keys', async ({ world }) => {
    const { store, clock } = world.gateway;
    const { browser, page } = await world.signIn('fred@example.org');
    const read = async () =>
      JSON.parse((await browser.get('/account/browser-key')).text) as { key: string; expires_at: string };
    const { key, expires_at } = await read();
    assert.equal(await read(), { key, expires_at }, 'it is the same for every page');
    assert.is(Date.parse(expires_at), clock.now + HOUR);
    const headers = { Origin: PUBLIC_URL };
    const me = await world.gateway.ask('/api/me', { key, headers });
    const { browser: terms } = me.json<{ key: { browser: object } }>().key;
    assert.equal(terms, { origins: [PUBLIC_URL], limits: null, usage: null });
    const same = { 'Sec-Fetch-Site': 'same-origin', Host: 'api.example.org' };
    const own = await sendPlainly(`${world.gateway.address}/api/me`, {
      headers: { ...same, 'X-API-Key': key },
    });
    assert.is(own.status, 200);
    assert.is((await world.gateway.ask('/api/me', { key })).status, 403);
    const account = await accountByEmail(store, 'fred@example.org');
    assert.is(account?.keys.length, 1);
    assert.not((await listKeys(store)).some(({ key: { prefix } }) => key.startsWith(prefix)));

    await browser.submit(page, '/account/leave');
    const { key: none } = await read();
    assert.is(none, null);
    await until(async () => (await world.gateway.ask('/api/me', { key, headers })).status === 401);
    assert.is(await findKey(store, readKey(key)?.hash ?? ''), undefined, 'nothing is left of it');
  });

  test('end with their browser keys when they are ended from elsewhere, or the account is deleted', async ({
    world,
  }) => {
    const { store } = world.gateway;
    const { browser: first } = await world.signIn('gwen@example.org');
    const second = world.open();
    const page = await world.enter(second, 'gwen@example.org');
    const hashes: string[] = [];
    for (const browser of [first, second]) {
      const { key } = JSON.parse((await browser.get('/account/browser-key')).text) as { key: string };
      hashes.push(readKey(key)?.hash ?? '');
    }
    const there = async () => (await Promise.all(hashes.map((hash) => findKey(store, hash)))).map(Boolean);
    assert.equal(await there(), [true, true]);
    await second.submit(page, '/account/sessions/end', { id: idsOf(page)[0] ?? '' });
    assert.equal(await there(), [false, true]);
    await deleteAccount(store, 'gwen@example.org');
    assert.equal(await there(), [false, false]);
  });

  test('are limited: the oldest ends when there are too many', async ({ world }) => {
    const { store } = world.gateway;
    const { browser: first } = await world.signIn('dan@example.org');
    const id = (await accountByEmail(store, 'dan@example.org'))?.account.id ?? '';
    const origin = { network: '192.0.2.1', browser: 'Firefox' };
    for (let count = 1; count < MAX_SESSIONS; count++) {
      world.gateway.clock.now += 60_000;
      await transact(store, (transaction) => beginSession(transaction, id, origin));
    }
    const last = world.open();
    await world.enter(last, 'dan@example.org');
    assert.match((await first.get('/account')).text, /Send the link/);
    assert.is(rowsOf(await last.get('/account')).length, MAX_SESSIONS);
    world.gateway.clock.now += 2 * HOUR;
    assert.equal(await transact(store, (transaction) => sessionsOf(transaction, id)), []);
  });

  test('from a network that is known begin without a mail', async ({ world }) => {
    await issueKey(world.gateway.store, 'free', 'eve@example.org');
    for (const network of ['192.0.2.1', '198.51.100.7', '192.0.2.1', '198.51.100.7']) {
      world.gateway.clock.now += 60_000;
      await world.enter(world.open(network, SAFARI), 'eve@example.org');
    }
    const events = (await eventsOf(world, 'eve@example.org')).filter(({ event }) =>
      event.startsWith('session'),
    );
    assert.equal(
      events.map(({ event, about }) => [event, about]),
      [
        ['session.begun-elsewhere', 'Safari on a Mac'],
        ['session.begun-elsewhere', 'Safari on a Mac'],
        ['session.begun', 'Safari on a Mac'],
        ['session.begun', 'Safari on a Mac'],
      ],
    );
  });

  test('are shown with browsers in plain words', () => {
    const cases: [string | undefined, string][] = [
      [FIREFOX, 'Firefox on Windows'],
      [CHROME, 'Chrome on Android'],
      [SAFARI, 'Safari on a Mac'],
      [EDGE, 'Edge on Android'],
      ['curl/8.5.0', 'an unknown browser'],
      [undefined, 'an unknown browser'],
      ['Mozilla/5.0 (X11; Linux x86_64)', 'a browser on Linux'],
    ];
    for (const [text, expected] of cases) assert.is(describeBrowser(text), expected);
    const begun = performance.now();
    describeBrowser('Version/'.repeat(100_000));
    assert.ok(performance.now() - begun < 1000);
  });
});
