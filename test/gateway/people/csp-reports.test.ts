import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CSP_REPORTS } from '../../../gateway/http/html.ts';
import { cspReportEndpoint } from '../../../gateway/people/csp-reports.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

interface Context {
  gateway: TestGateway;
  /** Sends a report. @returns the status */
  send(body: unknown): Promise<number>;
  /** The entries about violations. */
  entries(): Record<string, unknown>[];
}

const reports = suite<Context>('reports of violations of a policy');
reports.before.each(async (context) => {
  const gateway = await startGateway(SAMPLE_GAMES, {
    endpoints: ({ log, now }) => [cspReportEndpoint({ log, now })],
  });
  context.gateway = gateway;
  context.send = async (body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(gateway.address + CSP_REPORTS, { method: 'POST', body: text });
    return response.status;
  };
  context.entries = () =>
    gateway.logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ message }) => message === 'a page violated its Content-Security-Policy');
});
reports.after.each(({ gateway }) => gateway.stop());

const OLD = {
  'csp-report': {
    'document-uri': 'https://api.example.org/signup/key?token=hidden',
    'violated-directive': "script-src-elem 'none'",
    'blocked-uri': 'https://evil.example/x.js?hidden=1',
    'script-sample': 'hidden',
  },
};
const NEW = [
  {
    type: 'csp-violation',
    body: {
      documentURL: 'https://api.example.org/account',
      effectiveDirective: 'style-src-attr',
      blockedURL: 'inline',
    },
  },
];

reports(
  'are logged in both forms, without anything that a page or a reporter could hide in them',
  async ({ send, entries }) => {
    assert.equal([await send(OLD), await send(NEW)], [204, 204]);
    assert.equal(
      entries().map(({ directive, blocked, page }) => [directive, blocked, page]),
      [
        ['script-src-elem', 'https://evil.example', '/signup/key'],
        ['style-src-attr', 'inline', '/account'],
      ],
    );
    assert.not.match(JSON.stringify(entries()), /hidden/);
  },
);

reports('write ten entries in a minute at most, whatever is sent', async ({ gateway, send, entries }) => {
  const many = Array.from({ length: 40 }, (_, at) => ({
    body: { ...NEW[0]?.body, documentURL: `https://api.example.org/${at}` },
  }));
  for (let count = 0; count < 5; count++) assert.is(await send(many), 204);
  assert.is(entries().length, 10);
  gateway.clock.now += 60_000;
  await send(NEW);
  assert.is(entries().length, 11);
  assert.is(entries().at(-1)?.dropped, 190);
});

reports('have entries of bounded length, whatever is sent', async ({ gateway, send, entries }) => {
  const long = 'x'.repeat(1500);
  const key = gateway.keys.free;
  for (const body of [
    { documentURL: `https://x.example/${long}`, effectiveDirective: long, blockedURL: `${long}:y` },
    { documentURL: `https://x.example/${key}`, effectiveDirective: 'a\nb', blockedURL: `https://${long}/` },
    { documentURL: 7, effectiveDirective: {}, blockedURL: null },
    'text',
  ])
    assert.is(await send([{ body }]), 204);
  // The log joins the last two, which are the same.
  assert.is(entries().length, 3);
  const text = JSON.stringify(entries());
  assert.ok(text.length < 2000, String(text.length));
  assert.not.match(text, key);
});

reports('that are too large or not JSON are not logged', async ({ send, entries }) => {
  assert.is(await send('x'.repeat(9000)), 413);
  for (const body of ['', '{', 'null', '[]', '[null]', '{"csp-report": 5}']) assert.is(await send(body), 204);
  assert.ok(entries().length <= 1);
});

reports.run();
