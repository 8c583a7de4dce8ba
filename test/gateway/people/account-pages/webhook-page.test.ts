import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountByEmail, grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import { CHANNELS, readSubscription } from '../../../../gateway/people/alerts/subscription.ts';
import { readEvents } from '../../../../gateway/people/audit/audit-log.ts';
import type { BrowserPage } from './browser.ts';
import { type AccountWorld, startAccounts } from './world.ts';

const HOOK = 'https://hooks.example.org/in?token=hidden';
const CHANGE = '/account/alerts/webhook/change';

const pages = suite<{ world: AccountWorld }>('the account page about webhooks');
pages.before(async (context) => {
  context.world = await startAccounts();
});
pages.after(({ world }) => world.stop());

function secretsOn({ text }: BrowserPage): string[] {
  return [...text.matchAll(/<code>(whsec_[^<]+)<\/code>/g)].map(([, secret = '']) => secret);
}

async function idOf({ gateway }: AccountWorld, email: string): Promise<string> {
  return (await accountByEmail(gateway.store, email))?.account.id ?? '';
}

pages('renews a secret, shows until when the earlier one is valid, and ends it', async ({ world }) => {
  const { browser, page } = await world.signIn('ann@example.org', 'pro');
  const set = await browser.submit(page, '/account/alerts/webhook', { url: HOOK });
  const [first = ''] = secretsOn(set);
  const renewed = await browser.submit(set, CHANGE, { change: 'secret' });
  const [second, earlier] = secretsOn(renewed);
  assert.is.not(second, first);
  assert.is(earlier, first);
  assert.match(
    renewed.text,
    /is valid until <time[^>]*>2026-06-02 12:00 UTC<\/time>: each event is signed with both/,
  );
  assert.not.match(renewed.text, /value="secret"/);
  const again = await browser.submit(renewed, CHANGE, { change: 'secret' });
  assert.equal([again.status, secretsOn(again)], [400, [second, first]]);
  const ended = await browser.submit(renewed, CHANGE, { change: 'end-earlier' });
  assert.equal(secretsOn(ended), [second]);
  const id = await idOf(world, 'ann@example.org');
  const events = (await readEvents(world.gateway.store, id)).reverse();
  assert.equal(
    events.slice(-3).map(({ event, about, by }) => [event, about, by]),
    [
      ['webhook.set', 'hooks.example.org', 'account'],
      ['webhook.secret-renewed', null, 'account'],
      ['webhook.secret-ended', null, 'account'],
    ],
  );
  assert.not.match(JSON.stringify(events), /hidden|whsec/);
  assert.match(
    ended.text,
    /You set the address of the webhook: hooks\.example\.org<\/td><td>10\.128\.\d+\.1/,
  );
});

pages('shows deliveries with their time, except to a free account', async ({ world }) => {
  const { store } = world.gateway;
  const { browser, page } = await world.signIn('cem@example.org', 'pro');
  const id = await idOf(world, 'cem@example.org');
  await browser.submit(page, '/account/alerts/webhook', { url: HOOK });
  await browser.submit(page, '/account/alerts/test');
  await store.run(
    `UPDATE deliveries SET tried_at = $1, attempts = 2, status = 500, ms = 42, error = '<i>500</i>', due_at = $1
     WHERE account = $2`,
    [store.now(), id],
  );
  const shown = await browser.get('/account');
  assert.match(shown.text, /alerts\.test test test/);
  assert.match(shown.text, /failed \(attempt 2\): &lt;i>500&lt;\/i>; next attempt <time.*<td>42 ms<\/td>/);
  await grantTier(store, 'cem@example.org', { tier: 'free', pro_until: null });
  assert.not.match((await browser.get('/account')).text, /alerts\.test/);
});

const DISCORD = 'https://discord.com/api/webhooks/123/aZ09-token';
const SLACK = 'https://hooks.slack.com/services/T0AB/B0CD/aZ09token';

pages(
  'has a channel for a webhook, Discord and Slack each, tested and removed by itself',
  async ({ world }) => {
    const { store } = world.gateway;
    const { browser, page } = await world.signIn('fay@example.org', 'pro');
    const id = await idOf(world, 'fay@example.org');
    const set = (channel: string, url: string) =>
      browser.submit(page, '/account/alerts/webhook', { channel, url });
    await set('webhook', HOOK);
    await set('webhook', DISCORD);
    const wrong = await set('slack', HOOK);
    assert.is(wrong.status, 400);
    assert.match(wrong.text, /not that of a webhook of Slack; expected https:\/\/hooks\.slack\.com/);
    const field = (name: string) =>
      new RegExp(`id="${name}" name="url"(?: value="([^"]*)")?`).exec(wrong.text)?.[1] ?? '';
    assert.equal(['url', 'discord-url', 'slack-url'].map(field), [HOOK, '', HOOK]);
    const all = await set('slack', SLACK);
    assert.match(
      all.text,
      /Discord gets a message for each event, at <code>https:\/\/discord\.com\/api\/webhooks\/123\/…/,
    );
    assert.match(
      all.text,
      /Slack gets a message for each event, at <code>https:\/\/hooks\.slack\.com\/services\/T0AB/,
    );
    assert.not.match(all.text, /aZ09/);
    const queues = async () => {
      const rows = await store.all<{ channel: string }>('SELECT channel FROM deliveries WHERE account = $1', [
        id,
      ]);
      return CHANNELS.map((channel) => rows.filter((row) => row.channel === channel).length);
    };
    const test = (channel?: string) =>
      browser.submit(page, '/account/alerts/test', channel === undefined ? {} : { channel });
    assert.is((await test('slack')).status, 200);
    assert.equal(await queues(), [0, 0, 1, 0]);
    assert.is((await test()).status, 200);
    assert.equal(await queues(), [1, 1, 2, 0]);
    assert.is((await test('mail')).status, 400, 'mail is off');
    const change = (channel: string, what: string) => browser.submit(all, CHANGE, { channel, change: what });
    assert.is((await change('discord', 'secret')).status, 400);
    assert.is((await change('nothing', 'remove')).status, 400);
    const left = await change('discord', 'remove');
    assert.not.match(left.text, /Discord gets a message/);
    const { webhook, discord, slack } = (await readSubscription(store, id)).hooks;
    assert.equal([webhook?.shown, discord, slack !== undefined], [HOOK, undefined, true]);
  },
);

pages('mails that an account was deleted, since nothing else would show it', async ({ world }) => {
  const { browser } = await world.signIn('eve@example.org');
  const page = await browser.get('/account/delete');
  await browser.submit(page, '/account/delete', { email: 'eve@example.org' });
  const mail = world.smtp.mails.at(-1);
  assert.equal([mail?.to, mail?.subject], [['eve@example.org'], 'Your account was deleted']);
  assert.match(mail?.text ?? '', /from the network\n10\.128\.\d+\.1\. All its keys/);
});

pages.run();
