import * as assert from 'uvu/assert';
import { commandSuite } from './command-suite.ts';

const EMAIL = 'ada@example.org';
const HOOK = 'https://ada:hidden@ada.example.org/hidden?token=hidden';

const alerts = commandSuite('gateway follows and gateway alerts');
alerts.before.each(async ({ run }) => {
  await run('keys', 'issue', EMAIL, '--tier', 'pro');
});

alerts('the games that an account follows are listed, added and removed', async ({ run }) => {
  const follows = async (...args: string[]) =>
    JSON.parse((await run('follows', ...args, '--json')).stdout).follows;
  assert.match((await run('follows', 'list', EMAIL)).stdout, 'follows nothing');
  assert.equal(await follows('add', EMAIL, 'tiny-game', 'new_games', 'star-rail'), [
    'new_games',
    'star-rail',
    'tiny-game',
  ]);
  assert.equal(await follows('remove', EMAIL, 'tiny-game'), ['new_games', 'star-rail']);
  assert.is((await run('follows', 'list', EMAIL)).stdout, 'new_games\nstar-rail\n');
  assert.is((await run('follows', 'add', EMAIL, 'No Game')).code, 2);
  const nobody = await run('follows', 'add', 'nobody@example.org', 'tiny-game');
  assert.equal([nobody.code, /no account of nobody@example.org/.test(nobody.stderr)], [1, true]);
});

alerts('channels are set, shown without secrets, tested and removed', async ({ run }) => {
  const { secret } = JSON.parse((await run('alerts', 'webhook', EMAIL, HOOK, '--json')).stdout);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.is(JSON.parse((await run('alerts', 'webhook', EMAIL, `${HOOK}2`, '--json')).stdout).secret, secret);
  assert.match((await run('alerts', 'mail', EMAIL)).stdout, /on +yes/);
  const { stdout: feed } = await run('alerts', 'feed', EMAIL, '--public-url', 'https://api.example.org');
  assert.match(feed, /url +https:\/\/api\.example\.org\/feeds\/gdf_[a-z2-7]{32}\n/);
  assert.equal(JSON.parse((await run('alerts', 'test', EMAIL, '--json')).stdout).channels, [
    'webhook',
    'mail',
  ]);
  const { stdout: shown } = await run('alerts', 'show', EMAIL, '--json');
  const { email, webhook, mail, feed: state, deliveries } = JSON.parse(shown);
  assert.equal(
    [email, webhook, mail, state, deliveries],
    [EMAIL, 'https://ada.example.org/…', 'on', 'on', []],
  );
  const { stdout: kept } = await run('accounts', 'export', EMAIL);
  for (const text of [shown, kept]) assert.not.match(text, /whsec_|gdf_|hidden/);

  assert.is((await run('alerts', 'webhook', EMAIL, '--off')).code, 0);
  assert.is((await run('alerts', 'mail', EMAIL, '--off')).code, 0);
  for (const _ of [1, 2]) assert.is((await run('alerts', 'feed', EMAIL, '--off')).code, 0);
  const removed = (await run('accounts', 'audit', EMAIL)).stdout.match(/feed\.removed/g);
  assert.equal(removed, ['feed.removed'], 'a channel that is off is not removed again');
  const nothing = await run('alerts', 'test', EMAIL);
  assert.equal([nothing.code, /each channel of ada@example.org is off/.test(nothing.stderr)], [1, true]);
  assert.match((await run('alerts', 'show', EMAIL)).stdout, /^webhook +-$[\s\S]*^mail +-\nfeed +-$/m);
});

alerts('Discord and Slack are channels beside the webhook', async ({ run }) => {
  const [discord, slack] = [
    'https://discord.com/api/webhooks/1/aZ09',
    'https://hooks.slack.com/services/T1/B1/aZ09',
  ];
  const report = async (...args: string[]) => JSON.parse((await run('alerts', ...args, '--json')).stdout);
  const shown = 'https://discord.com/api/webhooks/1/…';
  const set = { email: EMAIL, channel: 'discord', on: true, url: shown };
  assert.equal(await report('discord', EMAIL, discord), set);
  await run('alerts', 'slack', EMAIL, slack);
  assert.equal((await report('test', EMAIL, '--channel', 'slack')).channels, ['slack']);
  assert.equal((await report('show', EMAIL)).discord, shown);
  assert.equal(await report('discord', EMAIL, '--off'), { email: EMAIL, channel: 'discord', on: false });
  for (const wrong of [[slack, '--off'], [HOOK]])
    assert.is((await run('alerts', 'slack', EMAIL, ...wrong)).code, 2);
});

alerts.run();
