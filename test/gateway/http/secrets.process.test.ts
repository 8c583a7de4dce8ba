import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { exchange } from '../../support/exchange.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { openBrowser } from '../people/browser.ts';
import { kofiBody, patreonHeaders, patreonPayload, SECRET, TOKEN } from '../people/payloads.ts';
import { linksInOutbox } from '../people/read-outbox.ts';

const EMAIL = 'ada.of.the.log@example.org';
const DIST_PASSWORD = 'the-password-of-dist';
const SMTP_PASSWORD = 'the-password-of-the-mail-server';
/** Encrypts the secrets of webhooks. */
const SECRET_KEY = randomBytes(32).toString('base64');
const COMMON_SECRETS = [SECRET_KEY, TOKEN, SECRET, DIST_PASSWORD, EMAIL];
/** The first characters of a key name it, so the log may contain them. */
const PREFIX_CHARS = 'gdr_12345678'.length;

const secrets = suite<{ folder: string; source: FileServer }>('the log of a full run');
secrets.before(async (context) => {
  context.folder = await makeFolder('secrets');
  await buildGames(SAMPLE_GAMES, path.join(context.folder, 'dist'));
  context.source = await startFileServer(path.join(context.folder, 'dist'));
});

/** Decodes what is percent-encoded, however often. */
function decodeFully(text: string): string {
  const decoded = text.replace(/%([2-7][0-9a-f])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return decoded === text ? text : decodeFully(decoded);
}

/** Sends a secret in each place where a client may put it by mistake. No error repeats it. */
async function misplace(address: string, secret: string, key: string): Promise<void> {
  const encoded = secret.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  const targets = [
    secret,
    encoded,
    secret.replace('_', '%5F'),
    encoded.replaceAll('%', '%25'),
    `x?key=${secret}`,
  ];
  for (const target of targets) {
    for (const start of ['/api/', '/feeds/', '/files/tiny-game/', '/', '/signup/key?token=', '/api/games?']) {
      for (const used of [`${secret}x`, key]) {
        const response = await fetch(`${address}${start}${target}`, { headers: { 'X-API-Key': used } });
        const isError = response.status >= 400;
        assert.not.ok(
          isError && decodeFully(await response.text()).includes(secret.slice(PREFIX_CHARS)),
          start,
        );
      }
    }
  }
  for (const bytes of [`GET /\u0000${secret} HTTP/1.1\r\n\r\n`, `${secret}\r\n\r\n`]) {
    await exchange(address, { bytes: Buffer.from(bytes) });
  }
  await exchange(address, {
    bytes: Buffer.from(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${secret}\r\n\r\n`),
  });
}

async function addressOf(gateway: Running): Promise<string> {
  return (await gateway.printed(/"message":"listening","address":"([^"]+)"/))[1] as string;
}

/** Ends a gateway, and searches all that it has written for secrets. */
async function checkLog(gateway: Running, used: readonly string[]): Promise<void> {
  gateway.child.kill('SIGTERM');
  const { stdout, stderr } = await gateway.ended;
  const text = stdout + stderr;
  const decoded = decodeFully(text);
  assert.ok(used.every((secret) => secret.length >= 8));
  for (const secret of used) {
    const hidden = /^gd[rf]_/.test(secret) ? secret.slice(PREFIX_CHARS) : secret;
    const at = decoded.toLowerCase().indexOf(hidden.toLowerCase());
    assert.is(at, -1, decoded.slice(Math.max(0, at - 200), at + 200));
    assert.not.ok(text.includes(hidden));
  }
}

secrets('contains no key, token, password, signature or whole email address', async (context) => {
  const { folder, source } = context;
  const gateway = startCommand('gateway', ['serve', '--port', '0', '--store', 'store', '--cache', 'cache'], {
    cwd: folder,
    env: {
      GATEWAY_DIST: source.address.replace('http://', `http://reader:${DIST_PASSWORD}@`),
      GATEWAY_SECRET_KEY: SECRET_KEY,
      KOFI_VERIFICATION_TOKEN: TOKEN,
      KOFI_TIERS: 'Gold',
      PATREON_WEBHOOK_SECRET: SECRET,
      PATREON_MIN_CENTS: '500',
    },
  });
  const address = await addressOf(gateway);
  const browser = openBrowser(address, '10.0.0.1');

  // Sign-up and sign-in: links, a key, a session.
  await browser.post('/signup', { email: EMAIL });
  const [signupLink = ''] = await linksInOutbox(folder);
  const signupPage = await browser.get(signupLink.slice(address.length));
  const [key = ''] =
    /gdr_[a-z2-7]{39}/.exec((await browser.submit('/signup/key', {}, signupPage)).text) ?? [];
  await browser.post('/account', { email: EMAIL });
  const [, enterLink = ''] = await linksInOutbox(folder, 2);
  await browser.submit('/account/enter', {}, await browser.get(enterLink.slice(address.length)));
  const session = browser.cookies.get('session') ?? '';
  const tokens = [signupLink, enterLink].map((link) => new URL(link).searchParams.get('token') ?? '');

  // A Pro key, a feed, a signed link.
  const run = async (...args: string[]) =>
    (
      await runInProcess('gateway', [...args, '--store', 'store'], {
        cwd: folder,
        env: { GATEWAY_SECRET_KEY: SECRET_KEY },
      })
    ).stdout;
  const pro = /gdr_[a-z2-7]{39}/.exec(await run('keys', 'issue', `x${EMAIL}`, '--tier', 'pro'))?.[0] ?? '';
  const feed =
    /gdf_[a-z2-7]+/.exec(await run('alerts', 'feed', `x${EMAIL}`, '--public-url', address))?.[0] ?? '';
  // A webhook that cannot be reached, whose address has a secret too.
  const hook = 'https://127.0.0.1:9/hook?token=the-token-of-a-webhook';
  const secret = /whsec_\S+/.exec(await run('alerts', 'webhook', `x${EMAIL}`, hook, '--dev'))?.[0] ?? '';
  await run('alerts', 'test', `x${EMAIL}`);
  await gateway.printed(/an alert could not be sent/);
  const link = await fetch(`${address}/api/tiny-game/snapshot/latest?via=link`, {
    headers: { 'X-API-Key': pro },
  });
  const { url } = (await link.json()) as { url: string };
  const signatures = [...new URL(url, address).searchParams.values()].filter((value) => value.length > 12);
  const statuses = await Promise.all(
    [new URL(url, address).href, `${address}/feeds/${feed}`].map(async (each) => (await fetch(each)).status),
  );
  assert.equal(statuses, [200, 200]);

  // Webhooks, also refused ones, and secrets in wrong places.
  const patreon = patreonPayload({ email: EMAIL });
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const post = (name: string, body: string, headers: Record<string, string>) =>
    fetch(`${address}/webhooks/${name}`, { method: 'POST', body, headers });
  await post('patreon', patreon, patreonHeaders(patreon));
  await post('patreon', `${patreon} `, patreonHeaders(patreon));
  await post('ko-fi', kofiBody({ email: EMAIL }), form);
  await post(
    'ko-fi',
    `data=${encodeURIComponent(JSON.stringify({ verification_token: `${TOKEN}x`, email: EMAIL }))}`,
    form,
  );
  for (const secret of [key, pro, feed]) await misplace(address, secret, pro);
  await fetch(`${address}/api/games`, { headers: { 'X-API-Key': key } });
  for (const leaked of [`${key}x`, key]) {
    const body = JSON.stringify({ key: leaked });
    await fetch(`${address}/keys/revoke`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
  }

  assert.ok(secret.length > 40);
  const used = [secret, 'the-token-of-a-webhook', key, pro, feed, session, ...tokens, ...signatures];
  assert.ok(signatures.length > 0);
  await checkLog(gateway, [...used, ...COMMON_SECRETS]);
});

secrets(
  'contains none of these even if the mail server and the source of dist/ cannot be reached',
  async (context) => {
    const { folder, source } = context;
    const gateway = startCommand(
      'gateway',
      ['serve', '--port', '0', '--store', 'other', '--cache', 'cache'],
      {
        cwd: folder,
        env: {
          GATEWAY_DIST: source.address.replace('http://', `http://reader:${DIST_PASSWORD}@`),
          SMTP_URL: `smtp://mailer:${SMTP_PASSWORD}@127.0.0.1:9`,
          MAIL_FROM: 'keys@example.org',
        },
      },
    );
    const address = await addressOf(gateway);
    await source.stop();
    const form = new URLSearchParams({ email: EMAIL });
    assert.is((await fetch(`${address}/signup`, { method: 'POST', body: form })).status, 503);
    await gateway.printed(/"level":"error"[^\n]*mail/);
    await gateway.printed(/dist not mirrored/);
    await checkLog(gateway, [EMAIL, DIST_PASSWORD, SMTP_PASSWORD]);
  },
);

secrets.run();
