import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startAccountMails } from '../../../gateway/people/account-mails.ts';
import { createSmtpMailer } from '../../../gateway/people/mailer.ts';
import { erasePerson, exportAccount } from '../../../gateway/people/privacy.ts';
import { grantTier } from '../../support/accounts.ts';
import { NOON } from '../../support/harness.ts';
import { QUIET } from '../../support/quiet.ts';
import { until } from '../../support/until.ts';
import { kofiBody, type Member, patreonHeaders, patreonPayload, SECRET, TOKEN } from './payloads.ts';
import { linkIn, PUBLIC_URL, startWorld, tokenIn, type World } from './world.ts';

const JULY = '2026-07-01T00:00:00.000Z';
const GRACE = '2026-07-08T00:00:00.000Z';
const FREE = { tier: 'free', pro_until: null };
const pro = (pro_until: string) => ({ tier: 'pro', pro_until });

const test = suite<{ world: World }>('memberships');
test.before.each(async (context) => {
  context.world = await startWorld();
});
test.after.each(({ world }) => world.stop());

/** Sends a webhook. @returns the status, and the code of the problem, if any */
async function send({ gateway }: World, platform: string, body: string, headers: Record<string, string>) {
  const response = await fetch(`${gateway.address}/webhooks/${platform}`, { method: 'POST', body, headers });
  const text = await response.text();
  return text === '' ? [response.status] : [response.status, JSON.parse(text).code];
}

function patreon(world: World, member: Member, event?: string) {
  const body = patreonPayload(member);
  return send(world, 'patreon', body, patreonHeaders(body, event));
}

function kofi(world: World, payment: Record<string, unknown>) {
  return send(world, 'ko-fi', kofiBody(payment), { 'content-type': 'application/x-www-form-urlencoded' });
}

async function me({ gateway }: World, key: string) {
  const { tier, pro_until } = (await gateway.ask('/api/me', { key })).json<typeof FREE>();
  return { tier, pro_until };
}

/** Waits until a gateway has read a change of an account: it sees it within a second. */
async function untilMe(world: World, key: string, expected: object): Promise<void> {
  await until(async () => JSON.stringify(await me(world, key)) === JSON.stringify(expected));
}

test('a webhook makes an account Pro; after a cancellation Pro lasts until the paid period ends', async ({
  world,
}) => {
  const key = await world.signUp('ada@example.org');
  assert.equal(await patreon(world, { email: 'Ada@Example.org' }), [204]);
  await untilMe(world, key, pro(GRACE));
  const cancelled: Member = { status: 'former_patron', nextChargeAt: null, cents: 0 };
  assert.equal(await patreon(world, cancelled, 'members:pledge:delete'), [204]);
  await untilMe(world, key, pro(JULY));
  world.gateway.clock.now = Date.parse(JULY) - 1;
  assert.equal(await me(world, key), pro(JULY));
  world.gateway.clock.now = Date.parse(JULY);
  assert.equal(await me(world, key), FREE);
  for (const replayed of [{}, cancelled, { chargedAt: '2026-05-01T08:00:10Z' }])
    assert.equal(await patreon(world, replayed), [204]);
  await patreon(world, { chargedAt: JULY, nextChargeAt: '2026-08-01T00:00:00Z' });
  await untilMe(world, key, pro('2026-08-08T00:00:00.000Z'));
  await patreon(world, { chargedAt: JULY, charge: 'Refunded' });
  await untilMe(world, key, FREE);
});

test('becoming Pro and losing it are mailed', async ({ world }) => {
  const { gateway, smtp } = world;
  const { store, follower, clock } = gateway;
  await world.signUp('ada@example.org');
  const mailer = createSmtpMailer(smtp.url, 'Game Data <keys@example.org>');
  const services = { store, follower, mailer, log: QUIET, now: () => clock.now };
  const mails = startAccountMails({ ...services, publicUrl: () => PUBLIC_URL, interval: 20 });
  const untilMailed = async (subject: string) => {
    await until(() => smtp.mails.at(-1)?.subject.startsWith(subject) === true);
    await until(async () => !(await store.get('SELECT id FROM mails WHERE done_at IS NULL')));
  };
  await untilMailed('Your account: You made a key');
  clock.now += 15 * 60_000;
  await patreon(world, {});
  await untilMailed('You are Pro until 2026-07-08 00:00 UTC');
  clock.now = Date.parse(GRACE);
  await untilMailed('You are no longer Pro');
  clock.now += 3_600_000;
  const sent = smtp.mails.length;
  await patreon(world, { status: 'former_patron', nextChargeAt: null });
  await mails.close();
  assert.is(smtp.mails.length, sent, 'each once');
});

test('a payment on Ko-fi counts for 35 days, and only once when it is repeated', async ({ world }) => {
  const email = 'ada@example.org';
  const key = await world.signUp(email);
  const days = (count: number) => new Date(NOON + count * 86_400_000).toISOString();
  assert.equal(await kofi(world, { email, message_id: 'a' }), [204]);
  await untilMe(world, key, pro(days(35)));
  world.gateway.clock.now = NOON + 30 * 86_400_000;
  await kofi(world, { email, message_id: 'a' });
  await kofi(world, { email, message_id: 'tip', is_subscription_payment: false });
  assert.equal(await me(world, key), pro(days(35)));
  await kofi(world, { email, message_id: 'b', timestamp: days(30) });
  await untilMe(world, key, pro(days(65)));
  world.gateway.clock.now = NOON + 65 * 86_400_000;
  assert.equal(await me(world, key), FREE);
});

test('the best of the operator’s grant and the memberships of all platforms counts', async ({ world }) => {
  const email = 'ada@example.org';
  const key = await world.signUp(email);
  await patreon(world, {});
  await kofi(world, { email });
  await untilMe(world, key, pro(GRACE));
  const grant = (pro_until: string | null, tier: 'free' | 'pro' = 'pro') =>
    grantTier(world.gateway.store, email, { tier, pro_until });
  await grant('2027-01-01T00:00:00.000Z');
  await untilMe(world, key, pro('2027-01-01T00:00:00.000Z'));
  await grant('2026-06-15T00:00:00.000Z');
  await untilMe(world, key, pro(GRACE));
  await patreon(world, { charge: 'Refunded' });
  await untilMe(world, key, pro('2026-07-06T12:00:00.000Z'));
  await grant(null, 'free');
  assert.equal(await me(world, key), pro('2026-07-06T12:00:00.000Z'));
});

test('a membership waits for its account, moves with its email address, and is deleted with the account', async ({
  world,
}) => {
  const { store } = world.gateway;
  await patreon(world, {});
  const key = await world.signUp('ada@example.org');
  assert.equal(await me(world, key), pro(GRACE));
  assert.match(
    JSON.stringify(await exportAccount(store, 'ada@example.org')),
    /"about":"pro until 2026-07-08/,
  );
  const other = await world.signUp('bob@example.org');
  await patreon(world, { email: 'bob@example.org' });
  await untilMe(world, key, FREE);
  await untilMe(world, other, pro(GRACE));
  const never = { chargedAt: null, charge: null, status: null };
  await patreon(world, { user: 'never', email: 'eve@example.org', ...never });
  assert.is(await exportAccount(store, 'eve@example.org'), undefined, 'who was never charged is not stored');
  await patreon(world, { user: 'waiting', email: 'cem@example.org' });
  assert.match(JSON.stringify(await exportAccount(store, 'cem@example.org')), /"account":null.*"waiting"/);
  assert.match(JSON.stringify(await exportAccount(store, 'bob@example.org')), /719414.*2026-07-01/);
  for (const email of ['bob@example.org', 'cem@example.org']) {
    assert.is(await erasePerson(store, email), true);
    assert.is(await exportAccount(store, email), undefined);
  }
  assert.equal(await me(world, await world.signUp('bob@example.org')), FREE);
});

test('the log shows the effects and why, and neither email addresses nor secrets', async ({ world }) => {
  await world.signUp('ada@example.org');
  await patreon(world, {});
  await patreon(world, {});
  await patreon(world, { email: 'nobody-yet@example.org', user: '2' });
  await patreon(world, { charge: 'Fraud' });
  await kofi(world, { tier_name: 'Tin' });
  const body = patreonPayload();
  await send(world, 'patreon', body, patreonHeaders(body, 'members:update', 'another secret'));
  await send(world, 'patreon', '{"data":{}}', patreonHeaders('{"data":{}}'));
  const entries = world.gateway.logged.map((line) => JSON.parse(line));
  assert.equal(
    entries
      .filter(({ message }) => message === 'webhook')
      .map(({ platform, effect, reason }) => [platform, effect, reason]),
    [
      ['patreon', `Pro until ${GRACE}`, undefined],
      ['patreon', 'unchanged', undefined],
      ['patreon', `Pro until ${GRACE}, waiting for an account`, undefined],
      ['patreon', 'Pro ended', 'the last charge was reversed: Fraud'],
      ['ko-fi', 'ignored: its tier and amount do not buy Pro', undefined],
    ],
  );
  const refused = entries.filter(({ message }) => message === 'a webhook was refused');
  assert.equal([refused.length, refused[0].level], [2, 'error']);
  assert.match(refused[0].reason, /X-Patreon-Signature does not match the body/);
  assert.match(refused[1].reason, /the payload has "" at data\.relationships\.user\.data\.id/);
  const log = world.gateway.logged.join('\n');
  for (const secret of ['@example', TOKEN, SECRET, '719414']) assert.not.match(log, secret);
});

const CLAIM = '/account/claim';

test('a link that is mailed to an email address gives an account its membership, or gives it back', async ({
  world,
}) => {
  const { browser, key } = await world.signIn('ada@example.org');
  const other = await world.signUp('ada@patrons.example.org');
  await patreon(world, { email: 'ada@patrons.example.org' });
  await browser.submit(CLAIM, { email: 'Ada@patrons.example.org' });
  const mail = world.smtp.mails.at(-1);
  assert.equal(mail?.to, ['ada@patrons.example.org']);
  const link = linkIn(mail?.text ?? '');
  const { browser: stranger } = await world.signIn('eve@example.org');
  for (const each of [stranger, world.open()])
    assert.not.match((await each.get(link)).text, /patrons/, 'in another account, or in none');
  const token = tokenIn(link);
  assert.is((await stranger.post(`${CLAIM}/confirm`, { token })).status, 410);
  assert.equal(await me(world, key), FREE);
  const offer = await browser.get(link);
  assert.match((await browser.submit(`${CLAIM}/confirm`, {}, offer)).text, /which is Pro now/);
  await untilMe(world, key, pro(GRACE));
  await untilMe(world, other, FREE);
  assert.is((await browser.get(link)).status, 410, 'once');
  const back = world.open();
  await world.enter(back, 'ada@patrons.example.org');
  await back.submit(CLAIM, { email: 'ada@patrons.example.org' });
  const offered = await back.get(linkIn(world.smtp.mails.at(-1)?.text ?? ''));
  await back.submit(`${CLAIM}/confirm`, {}, offered);
  await untilMe(world, other, pro(GRACE));
  await patreon(world, { email: 'ada@patrons.example.org', charge: 'Refunded' });
  await untilMe(world, other, FREE);
  assert.match(world.gateway.logged.join('\n'), /a membership was claimed/);
  assert.not.match(world.gateway.logged.join('\n'), new RegExp(`${token}|example\\.org`));
});

test('the page is the same whether or not a membership waits; only the mail differs', async ({ world }) => {
  const { browser } = await world.signIn('bob@example.org');
  await patreon(world, { email: 'bob@patrons.example.org' });
  const pages = [];
  for (const email of ['bob@patrons.example.org', 'nobody@patrons.example.org'])
    pages.push((await browser.submit(CLAIM, { email })).text.replace(email, ''));
  assert.is(pages[0], pages[1]);
  assert.match(world.smtp.mails.at(-1)?.text ?? '', /this email address has no membership/);
  assert.is((await browser.submit(CLAIM, { email: 'x' })).status, 400);
  const ask = () => browser.submit(CLAIM, { email: 'cem@patrons.example.org' });
  for (let count = 0; count < 3; count++) assert.is((await ask()).status, 200);
  const { status, headers } = await ask();
  assert.equal([status, headers.get('retry-after')], [429, '10800']);
});

test.run();
