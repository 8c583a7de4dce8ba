import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { openBrowser } from '../people/browser.ts';
import { findInOutbox, linksInOutbox } from '../people/read-outbox.ts';

const SMTP = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'keys@example.org' };

const serve = suite<{ folder: string }>('gateway serve with the account page');
serve.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'account-'));
  await buildGames(SAMPLE_GAMES, path.join(context.folder, 'dist'));
});
serve.after.each(async ({ folder }) => {
  started?.child.kill('SIGTERM');
  await started?.ended;
  started = undefined;
  await rm(folder, { recursive: true });
});

let started: Running | undefined;

async function start(folder: string, env: Record<string, string> = {}, args: string[] = []): Promise<string> {
  const options = { cwd: folder, env: { GATEWAY_PORT: '0', ...env } };
  started = startCommand('gateway', ['serve', ...args], options);
  const [, address = ''] = await started.printed(/"address":"([^"]+)"/);
  return address;
}

serve('a key, sign-in, a game request, and the mail that the game is available', async ({ folder }) => {
  const run = (...args: string[]) => runInProcess('gateway', args, { cwd: folder });
  await run('keys', 'issue', 'ada@example.org');
  const address = await start(folder);
  const browser = openBrowser(address, '10.0.0.1');
  assert.is((await browser.post('/account', { email: 'ada@example.org' })).status, 200);
  const [link = ''] = await linksInOutbox(folder);
  assert.ok(link.startsWith(`${address}/account/enter?token=`), link);
  await browser.submit('/account/enter', {}, await browser.get(link.slice(address.length)));
  assert.equal([...browser.cookies.keys()], ['session']);
  const fields = { name: 'Tiny', link: 'https://example.org/tiny' };
  assert.match((await browser.submit('/account/requests/ask', fields)).text, /Tiny<br\s*\/?>/);
  assert.is((await run('requests', 'accept', '1', '--game', 'tiny-game')).code, 0);
  await findInOutbox(folder, /^Tiny is available\n/);
  const [made] = await findInOutbox(folder, /^Your account: /);
  assert.match(made?.text ?? '', /The operator made a key: gdr_\w{8}\n/);
  assert.match(made?.text ?? '', `${address}/account`);
  assert.match((await browser.get('/account/requests')).text, /done: <code>tiny-game<\/code>/);
});

serve(
  'is off without a mail server or TLS if others can reach it, and the log says why',
  async ({ folder }) => {
    const CASES: [env: Record<string, string>, message: RegExp][] = [
      [
        { GATEWAY_PUBLIC_URL: 'https://api.example.org' },
        /the account page is off, because SMTP_URL is not set/,
      ],
      [{ ...SMTP, GATEWAY_PUBLIC_URL: 'http://api.example.org' }, /because --public-url is not an address/],
    ];
    for (const [env, message] of CASES) {
      const address = await start(folder, env);
      await started?.printed(message);
      const page = await fetch(`${address}/account`);
      assert.is(page.status, 404);
      assert.match(await page.text(), /This gateway has no account pages/);
      started?.child.kill('SIGTERM');
      await started?.ended;
    }
  },
);

serve.run();
