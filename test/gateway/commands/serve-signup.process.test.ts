import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { openBrowser } from '../people/browser.ts';
import { findInOutbox, linksInOutbox } from '../people/read-outbox.ts';
import { readMail, startSmtp } from '../people/smtp-server.ts';

const serve = suite<{ folder: string }>('gateway serve with sign-up');
serve.before.each(async (context) => {
  context.folder = await makeFolder('signup');
  await buildGames(SAMPLE_GAMES, path.join(context.folder, 'dist'));
});
serve.after.each(stop);

let started: Running | undefined;

async function stop(): Promise<void> {
  started?.child.kill('SIGTERM');
  await started?.ended;
  started = undefined;
}

interface Started {
  address: string;
  gateway: Running;
}

async function start(folder: string, env: Record<string, string>, args: string[] = []): Promise<Started> {
  const options = { cwd: folder, env: { GATEWAY_PORT: '0', ...env } };
  started = startCommand('gateway', ['serve', ...args], options);
  const [, address = ''] = await started.printed(/"address":"([^"]+)"/);
  return { address, gateway: started };
}

async function submit(
  url: string,
  fields: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, text: await response.text() };
}

const PUBLIC = { GATEWAY_PUBLIC_URL: 'https://api.example.org/' };
const SMTP = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'keys@example.org' };

serve(
  'without a mail server the mail is a file, its link leads to a page, and a click shows the key',
  async ({ folder }) => {
    const { address, gateway } = await start(folder, {});
    assert.is((await submit(`${address}/signup`, { email: 'ada@example.org' })).status, 200);
    const [, file = ''] = await gateway.printed(/"file":"([^"]+)"/);
    assert.match(file, /^var\/outbox\/.*\.eml$/);
    const { text } = readMail(await readFile(path.join(folder, file), 'utf8'));
    const [link = ''] = /^http:\S+$/m.exec(text) ?? [];
    assert.ok(link.startsWith(`${address}/signup/key?token=`), link);
    assert.is((await fetch(link)).status, 200);
    const token = new URL(link).searchParams.get('token') ?? '';
    const page = await submit(`${address}/signup/key`, { token });
    const [key = ''] = /gdr_[a-z2-7]+/.exec(page.text) ?? [];
    const response = await fetch(`${address}/api/games`, { headers: { 'X-API-Key': key } });
    assert.is(response.status, 200);
  },
);

serve('with a mail server it sends mails that contain the public URL', async ({ folder }) => {
  const smtp = await startSmtp();
  const { address, gateway } = await start(folder, {
    ...PUBLIC,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'keys@example.org',
    GATEWAY_TRUSTED_PROXY: 'loopback',
  });
  await gateway.printed(/"signup":"https:\/\/api\.example\.org\/signup"/);
  assert.is((await submit(`${address}/signup`, { email: 'bob@example.org' })).status, 200);
  const mail = smtp.mails.find(({ to }) => to[0] === 'bob@example.org');
  assert.match(mail?.text ?? '', /^https:\/\/api\.example\.org\/signup\/key\?token=gdl_\w{32}$/m);
});

serve(
  'leads to an account page: a key, sign-in, a game request, and the mail that the game is available',
  async ({ folder }) => {
    const run = (...args: string[]) => runInProcess('gateway', args, { cwd: folder });
    await run('keys', 'issue', 'ada@example.org');
    const { address } = await start(folder, {});
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
  },
);

serve(
  'has no account pages without a mail server or TLS if others can reach it, and the log says why',
  async ({ folder }) => {
    const CASES: [env: Record<string, string>, message: RegExp][] = [
      [PUBLIC, /the account page is off, because SMTP_URL is not set/],
      [{ ...SMTP, GATEWAY_PUBLIC_URL: 'http://api.example.org' }, /because --public-url is not an address/],
    ];
    for (const [env, message] of CASES) {
      const { address, gateway } = await start(folder, env);
      await gateway.printed(message);
      const page = await fetch(`${address}/account`);
      assert.is(page.status, 404);
      assert.match(await page.text(), /This gateway has no account pages/);
      await stop();
    }
  },
);

serve('the page says that sign-up is off', async ({ folder }) => {
  const { address } = await start(folder, {}, ['--signup', 'off']);
  const page = await fetch(`${address}/signup`);
  assert.equal([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
  assert.match(await page.text(), /Ask its operator for a key/);
});

serve('refuses impossible settings in one line', async ({ folder }) => {
  const CASES: [env: Record<string, string>, args: string[], message: RegExp][] = [
    [PUBLIC, ['--signup', 'on'], /--signup on needs SMTP_URL/],
    [{ ...PUBLIC, GATEWAY_SIGNUP: 'on' }, [], /--signup on needs SMTP_URL/],
    [SMTP, ['--host', '0.0.0.0'], /sign-up needs --public-url .*--signup off/],
    [{ SMTP_URL: 'mail.example.org' }, [], /SMTP_URL is not the address of a mail server; expected smtps:/],
    [{ SMTP_URL: SMTP.SMTP_URL }, [], /MAIL_FROM "" is not a sender/],
    [{}, ['--public-url', 'https://example.org/api'], /expected an address without a path/],
    [{}, ['--public-url', 'example.org'], /expected an address without a path/],
    [{}, ['--trusted-proxy', 'x'], /expected the number of proxies, or their addresses/],
    [{ GATEWAY_TRUSTED_PROXY: '10.0.0.0/99' }, [], /expected the number of proxies, or their addresses/],
    [{}, ['--signup', 'maybe'], /expected on or off/],
  ];
  const cwd = path.join(folder, 'refused');
  await mkdir(cwd);
  for (const [env, args, message] of CASES) {
    const options = { cwd, env: { GATEWAY_PORT: '0', GATEWAY_DIST: path.join(folder, 'dist'), ...env } };
    const { code, stdout, stderr } = await runInProcess('gateway', ['serve', ...args], options);
    assert.equal([code, stdout], [2, ''], stderr);
    assert.match(stderr, message);
  }
});

serve.run();
