import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTestEvent } from '../../../../gateway/people/alerts/event.ts';
import { type AddressPolicy, postJson, readWebhookUrl } from '../../../../gateway/people/alerts/post.ts';
import { createWebhookSecret, signWebhook } from '../../../../scripts/notices/webhook-signature.ts';
import { startSwitching } from '../../../support/switching-server.ts';
import { type Responder, startConsumer } from './consumer.ts';
import { listen } from '../../../support/listen.ts';

const webhook = suite('webhooks');

const DEVELOPMENT: AddressPolicy = { isStrict: false };
/** The only text about a failure without a response. */
const NO_RESPONSE = 'there was no response: the address cannot be reached, or webhooks may not be sent to it';
const NOW = Date.now();
const EVENT = makeTestEvent('test-1', NOW);
const SECRET = createWebhookSecret();

function post(url: string, policy = DEVELOPMENT, timeoutMs = 60_000) {
  const body = JSON.stringify(EVENT);
  const headers = signWebhook([SECRET], EVENT.id, body, NOW);
  return postJson(
    { url, body, headers },
    { policy, now: NOW, signal: new AbortController().signal, timeoutMs },
  );
}

async function postTo(respond?: Responder, timeoutMs?: number) {
  const consumer = await startConsumer(respond);
  return { consumer, outcome: await post(consumer.url, DEVELOPMENT, timeoutMs) };
}

const failed = (status: number, retryAfter = 0) => ({
  failure: 'unavailable',
  error: `the response had status ${status}`,
  retryAfter,
});
const GONE = 'the response had status 410, which means that the webhook was removed';
const LATER = Math.ceil(NOW / 1000) * 1000 + 60_000;
const send =
  (status: number, headers = {}): Responder =>
  (response) =>
    response.writeHead(status, headers).end('x');
const endless: Responder = (response) => {
  response.writeHead(200);
  const more = () => response.write(Buffer.alloc(64 * 1024), () => response.destroyed || setImmediate(more));
  more();
};
const RESPONSES: [string, Responder, object | undefined][] = [
  ['410', send(410), { failure: 'gone', error: GONE }],
  ['a redirect', send(307, { Location: '/other' }), failed(307)],
  ['Retry-After in seconds', send(503, { 'Retry-After': '120' }), failed(503, 120_000)],
  [
    'Retry-After as a date',
    send(429, { 'Retry-After': new Date(LATER).toUTCString() }),
    failed(429, LATER - NOW),
  ],
  ['Retry-After of nonsense', send(503, { 'Retry-After': 'soon' }), failed(503)],
  ['a response that never ends', endless, undefined],
  [
    'a connection that is cut',
    (response) => response.destroy(),
    { failure: 'unavailable', error: NO_RESPONSE, cause: 'socket hang up' },
  ],
];

for (const [what, respond, expected] of RESPONSES) {
  webhook(`have the right outcome after ${what}`, async () => {
    const { consumer, outcome } = await postTo(respond);
    assert.equal(outcome, expected);
    assert.is(consumer.posts.length, 1);
  });
}

webhook('time out when the server does not complete the TLS handshake', async () => {
  const silent = createServer((socket) => socket.resume());
  const address = (await listen(silent)).replace('http', 'https');
  assert.is((await post(address, DEVELOPMENT, 200))?.error, NO_RESPONSE);
});

webhook('fail when the server switches protocols', async () => {
  const switching = await startSwitching();
  const cause = 'the connection closed without a response';
  assert.equal(await post(switching.address), { failure: 'unavailable', error: NO_RESPONSE, cause });
});

/** Addresses, and whether a strict gateway sends to them. */
const ADDRESSES: [address: string, isAllowed: boolean][] = [
  ['https://example.org/hook?a=1', true],
  ['http://example.org/', false],
  ['https://127.0.0.1/', false],
  ['https://0x7f.1/', false],
  ['https://10.1.2.3/', false],
  ['https://169.254.169.254/latest/meta-data', false],
  ['https://100.64.0.1/', false],
  ['https://[::1]/', false],
  ['https://[fe80::1]/', false],
  ['https://[::ffff:10.0.0.1]/', false],
  ['https://[::ffff:8.8.8.8]/', true],
  ['https://[64:ff9b::a00:1]/', false],
  ['https://[2606:4700::1]/', true],
  ['https://168.63.129.16/', false],
  ['https://100.100.100.200/', false],
];

webhook('may only have public addresses if the gateway is strict, and web addresses in development', () => {
  const isAllowed = (address: string, isStrict: boolean) => {
    try {
      readWebhookUrl(address, { isStrict });
      return true;
    } catch (error) {
      assert.match(String(error), /webhooks cannot be sent to this address/);
      return false;
    }
  };
  for (const [address, ifStrict] of ADDRESSES)
    assert.equal([isAllowed(address, false), isAllowed(address, true)], [true, ifStrict], address);
  for (const address of ['ftp://example.org/', 'example.org', `https://example.org/${'字'.repeat(700)}`])
    assert.is(isAllowed(address, false), false, address);
});

webhook('check the addresses of a host name when they connect', async () => {
  const consumer = await startConsumer();
  const { port } = new URL(consumer.url);
  const address = `https://rebound.example:${port}/`;
  for (const [addresses, cause] of [
    [['127.0.0.1'], '127.0.0.1 is not on the public Internet'],
    [['::ffff:127.0.0.1', '10.0.0.1'], '::ffff:127.0.0.1 is not on the public Internet'],
    [['168.63.129.16'], '168.63.129.16 is not on the public Internet'],
    [[], 'rebound.example cannot be resolved'],
  ] as [string[], string][]) {
    const policy = { isStrict: true, resolve: async () => addresses };
    const refused = `webhooks cannot be sent to this address: ${cause}`;
    assert.equal(await post(address, policy), { failure: 'unavailable', error: NO_RESPONSE, cause: refused });
  }
  assert.is(consumer.posts.length, 0);
});

webhook('a receiver that never responds fails in time, even if memory is collected', async () => {
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(() => runInNewContext('gc()'), 20);
  const { outcome } = await postTo(() => {}, 200);
  clearInterval(collecting);
  const cause = 'there was no response within 0.2 seconds';
  assert.equal(outcome, { failure: 'unavailable', error: NO_RESPONSE, cause });
});

webhook.run();
