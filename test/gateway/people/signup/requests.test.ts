import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_FAILED } from '../../../../gateway/access/attempts.ts';
import { listKeys } from '../../../../gateway/store/keys.ts';
import { seededRandom } from '../../../support/random.ts';
import { sendRaw } from '../../../support/send-raw.ts';
import { type SignupWorld, startSignup, tokenIn } from './world.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const requests = suite<{ world: SignupWorld }>('HTTP requests for sign-up');
requests.before(async (context) => {
  context.world = await startSignup();
});
requests.after(({ world }) => world.stop());

const post = (path: string, lines: string[], body = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n${body}`;

/** Without it, a connection stays open until the rest of the body has arrived. */
const CLOSE = 'Connection: close';

requests('a form of more than 4 KB is refused, with or without a Content-Length', async ({ world }) => {
  const body = `email=big@example.org&more=${'x'.repeat(4096)}`;
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
  const FORMS = [
    post('/signup', [FORM, CLOSE, `Content-Length: ${body.length}`], body),
    post('/signup', [FORM, CLOSE, 'Content-Length: 999999999'], body),
    post('/signup', [FORM, CLOSE, 'Transfer-Encoding: chunked'], chunk),
  ];
  for (const text of FORMS) {
    const response = await sendRaw(world.gateway, text);
    assert.match(response, /^HTTP\/1\.1 413 .*"code":"body-too-large"/s);
  }
  assert.equal(world.smtp.mails, []);
});

requests('a form of 4 KB is accepted', async ({ world }) => {
  const start = 'email=nobody&more=';
  const body = start + 'x'.repeat(4096 - start.length);
  const lines = [FORM, 'Content-Length: 4096', 'Connection: close'];
  assert.match(await sendRaw(world.gateway, post('/signup', lines, body)), /^HTTP\/1\.1 400 .*role="alert"/s);
});

requests('an incomplete form changes nothing', async ({ world }) => {
  const token = tokenIn(await world.askForLink('cut@example.org'));
  const sent = world.smtp.mails.length;
  const FORMS = [
    post('/signup', [FORM, 'Content-Length: 100'], 'email=cut@example.org'),
    post('/signup/key', [FORM, 'Content-Length: 100'], `token=${token}`),
    post('/signup/key', [FORM, 'Transfer-Encoding: chunked'], `25\r\ntoken=${token}\r\n`),
    post('/signup/key', [FORM, 'Transfer-Encoding: chunked'], `fffff\r\ntoken=${token}`),
  ];
  for (const text of FORMS) assert.not.match(await sendRaw(world.gateway, text, true), /^HTTP\/1\.1 200/);
  const keys = await listKeys(world.gateway.store);
  assert.is(keys.filter(({ account }) => account.email === 'cut@example.org').length, 0);
  assert.is(world.smtp.mails.length, sent);
  assert.is((await world.get(`/signup/key?token=${token}`)).status, 200, 'the link still works');
});

requests('a body that is not a form is refused', async ({ world }) => {
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', '']) {
    const lines = [`Content-Type: ${type}`, 'Content-Length: 23', 'Connection: close'];
    const response = await sendRaw(world.gateway, post('/signup', lines, 'email=type@example.org.'));
    assert.match(response, /^HTTP\/1\.1 415 .*"code":"unsupported-media-type"/s, type);
  }
  const lines = [FORM, 'Content-Length: 9', 'Connection: close'];
  assert.match(await sendRaw(world.gateway, post('/signup', lines, 'email=%zz')), /^HTTP\/1\.1 400 /);
  const upper = ['content-type: APPLICATION/X-WWW-FORM-URLENCODED ; charset=UTF-8', ...lines.slice(1)];
  assert.match(
    await sendRaw(world.gateway, post('/signup', upper, 'email=xxx')),
    /^HTTP\/1\.1 400 .*role="alert"/s,
  );
});

requests('other methods are refused with the allowed ones', async ({ world }) => {
  for (const path of ['/signup', '/signup/key']) {
    const ask = (method: string) => fetch(world.gateway.address + path, { method });
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const response = await ask(method);
      assert.equal([response.status, response.headers.get('allow')], [405, 'GET, HEAD, POST, OPTIONS']);
    }
    const options = await ask('OPTIONS');
    assert.equal([options.status, options.headers.get('allow')], [204, 'GET, HEAD, POST, OPTIONS']);
    assert.is(options.headers.get('access-control-allow-origin'), null);
    const [get, head] = [await ask('GET'), await ask('HEAD')];
    assert.equal([head.status, await head.text()], [get.status, '']);
    assert.is(head.headers.get('content-length'), get.headers.get('content-length'));
  }
  for (const path of ['/signup/', '/Signup', '/signup/other']) {
    assert.is((await world.get(path)).status, 404, path);
    assert.is((await world.post(path, {})).status, 405, path);
  }
  assert.is((await world.post('/api/games', {})).status, 405);
});

requests('errors are pages for browsers, and problems for programs', async ({ world }) => {
  const headers = { ...BROWSER, Origin: 'https://evil.example.net' };
  const page = await world.post('/signup', { email: 'a@example.org' }, headers);
  assert.equal([page.status, page.headers.get('content-type')], [403, 'text/html; charset=utf-8']);
  assert.match(page.text, /<h1>Sent by another site<\/h1>/);
  const missing = await fetch(`${world.gateway.address}/<b>nowhere`, { headers: BROWSER });
  assert.equal([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
  assert.not.match(await missing.text(), /<b>/);
  const program = await world.post('/signup', {}, { Origin: 'https://evil.example.net' });
  assert.is(program.headers.get('content-type'), 'application/problem+json');
  const api = await fetch(`${world.gateway.address}/api/games`, { headers: BROWSER });
  assert.is(api.headers.get('content-type'), 'application/problem+json');
});

const FROM = 'X-Forwarded-For: 203.0.113.66';

requests('10,000 guessed tokens give no key', async ({ world }) => {
  const token = tokenIn(await world.askForLink('guessed@example.org'));
  const last = (Number.parseInt(token.at(-1) as string, 36) + 1) % 36;
  const near = [token.slice(0, -1) + last.toString(36), token.toUpperCase(), token.slice(1), `${token}0`, ''];
  const random = seededRandom();
  const makeGuess = () => Array.from({ length: 31 }, () => Math.floor(random() * 36).toString(36)).join('');
  const guesses = [...near, ...Array.from({ length: 10_000 - near.length }, makeGuess)];
  const text = guesses.map((guess, index) => {
    const body = `token=${guess}`;
    const close = index === guesses.length - 1 ? ['Connection: close'] : [];
    return post('/signup/key', [FORM, FROM, `Content-Length: ${body.length}`, ...close], body);
  });
  const response = await sendRaw(world.gateway, text.join(''));
  const countOf = (status: string) => response.split(`HTTP/1.1 ${status} `).length - 1;
  assert.equal([countOf('410'), countOf('429')], [MAX_FAILED, 10_000 - MAX_FAILED]);
  assert.not.match(response, /gdr_/);
  assert.not.ok(
    (await listKeys(world.gateway.store)).some(({ account }) => account.email.startsWith('guessed')),
  );
  const [name = '', value = ''] = FROM.split(': ');
  const offer = await fetch(`${world.gateway.address}/signup/key?token=${token}`, {
    headers: { [name]: value },
  });
  assert.is(offer.status, 200, 'a link that works is not affected');
});

requests.run();
