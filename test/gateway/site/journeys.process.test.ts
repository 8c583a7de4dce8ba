import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { createSmtpMailer } from '../../../gateway/people/mailer.ts';
import { readPlatforms } from '../../../gateway/people/membership/webhooks.ts';
import { peopleEndpoints } from '../../../gateway/people/people.ts';
import { type EndpointParts, issueKey, startGateway } from '../../support/harness.ts';
import { withPrograms } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { PLATFORM_SETTINGS, patreonHeaders, patreonPayload } from '../people/payloads.ts';
import { startSmtp, type TestSmtp } from '../people/smtp-server.ts';
import { EXPLORED_GAME } from './explored-game.ts';
import { look } from './look.ts';
import { type BrowserWorld, browserSuite, namesIn, visit } from './visits.ts';

interface Context extends BrowserWorld {
  smtp: TestSmtp;
}

const ROBOT = { headers: { 'user-agent': 'spreadsheet' } };

const journeys = browserSuite<Context>('journeys through the site', async (context) => {
  context.smtp = await startSmtp();
  context.gateway = await startGateway(EXPLORED_GAME, {
    endpoints: (parts) => personalEndpoints(context, parts),
  });
});
journeys.after(({ smtp }) => smtp.stop());
const test = withPrograms(journeys, 'chromium');

/** Sign-up, account pages and webhooks of platforms, which send their mails to the real server. */
function personalEndpoints(context: Context, parts: EndpointParts) {
  const mailer = createSmtpMailer(context.smtp.url, 'Game Data <keys@example.org>');
  return peopleEndpoints({
    ...parts,
    mailer,
    signupMailer: mailer,
    accountMailer: mailer,
    publicUrl: () => context.gateway.address,
    platforms: readPlatforms(PLATFORM_SETTINGS),
    policy: { isStrict: true },
  });
}

/** Opens the link of the only mail to an address. */
async function openMailedLink({ gateway, smtp }: Context, page: Page, email: string): Promise<void> {
  const mailed = () => smtp.mails.filter(({ to }) => to.includes(email));
  await until(() => mailed().length === 1);
  const link = mailed()[0]
    ?.text.split('\n')
    .find((line) => line.startsWith(`${gateway.address}/`));
  await page.goto(link ?? 'about:blank');
}

/** Signs in to an account with the link in a mail. */
async function signIn(context: Context, page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  assert.equal(await look({ name: 'sign-in-sent', page }), []);
  await openMailedLink(context, page, email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
}

test('a visitor gets a key by mail from the front page, and explores a game with it', async (context) => {
  const { page, requests, problems } = await visit(context, '/');
  await page.getByLabel('Email address').fill('ada@example.org');
  await page.getByRole('button', { name: 'Get a key' }).click();
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  await openMailedLink(context, page, 'ada@example.org');
  await page.getByRole('button', { name: 'Show my key' }).click();
  const key = (await page.locator('main pre').first().locator('code').textContent()) ?? '';
  assert.match(key, /^gdr_[a-z2-7]{39}$/);
  assert.equal(await look({ name: 'signup-key', page }), []);
  assert.ok(await page.getByRole('button', { name: 'Copy' }).first().isVisible());
  // The fourth click, with the one on the link in the mail.
  await page.getByRole('button', { name: 'Send a first request' }).click();
  await page.locator('.first-response', { hasText: '"slug": "saga"' }).waitFor();
  await page.getByRole('link', { name: 'Games', exact: true }).click();
  await page.getByRole('link', { name: /Saga/ }).first().click();
  await page.getByRole('link', { name: 'Characters', exact: true }).click();
  assert.is((await namesIn(page)).length, 14);
  assert.equal([requests, problems], [['/api/games'], []]);
});

test('a Pro member follows a game, and makes an address for a spreadsheet', async (context) => {
  const { gateway } = context;
  const email = 'grace@example.org';
  const key = await issueKey(gateway.store, 'pro', email);
  const { page, problems } = await visit(context, '/account');
  await signIn(context, page, email);
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByRole('checkbox', { name: /^Saga/ }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const follows = async () => (await gateway.ask('/api/me', { key })).json<{ follows: string[] }>().follows;
  await until(async () => (await follows()).join() === 'saga', 50);
  await page.goto(`${gateway.address}/account/alerts`);
  assert.ok(await page.getByRole('checkbox', { name: /^Saga/ }).isChecked());
  for (const tab of ['', '/addresses', '/alerts', '/requests', '/security']) {
    await page.goto(`${gateway.address}/account${tab}`);
    assert.equal(await look({ name: `account${tab.replace('/', '-')}`, page }), []);
  }

  await page.getByRole('link', { name: 'Addresses' }).click();
  await page
    .getByLabel(/^The query/)
    .fill('/api/saga/characters.csv?element=fire&sort=-stats.atk&columns=name,stats.atk');
  await page.getByRole('button', { name: 'New read-only address' }).click();
  await page.getByRole('heading', { name: 'Your new read-only address' }).waitFor();
  const address = (await page.locator('main pre').first().locator('code').textContent()) ?? '';
  assert.ok(address.startsWith(`${gateway.address}/t/`), address);
  const sheet = await fetch(address, ROBOT);
  assert.is(sheet.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal((await sheet.text()).trim().split(/\r?\n/).slice(1), [
    'Secret,250',
    'Unit 12,220',
    'Unit 9,190',
    'Unit 6,160',
    'Unit 3,130',
  ]);
  assert.equal(await look({ name: 'account-address', page }), []);
  await page.getByText(`=IMPORTDATA("${address}")`).waitFor();
  assert.equal(problems, []);
});

test('a member pays and is Pro, also for the key that the account has', async (context) => {
  const { gateway } = context;
  const email = 'hal@example.org';
  const key = await issueKey(gateway.store, 'free', email);
  const { page, problems } = await visit(context, '/account');
  await signIn(context, page, email);
  const body = patreonPayload({ email });
  const paid = { method: 'POST', headers: patreonHeaders(body), body };
  assert.is((await fetch(`${gateway.address}/webhooks/patreon`, paid)).status, 204);
  await page.reload();
  await page.getByText('This account is Pro until').waitFor();
  await until(
    async () => (await gateway.ask('/api/me', { key })).json<{ tier: string }>().tier === 'pro',
    50,
  );
  assert.equal(problems, []);
});

journeys.run();
