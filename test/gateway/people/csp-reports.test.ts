import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CSP_REPORTS } from '../../../gateway/http/html.ts';
import { cspReportEndpoint } from '../../../gateway/people/open-posts.ts';
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

const reportOf = (more: object = {}) => ({
  'csp-report': {
    'document-uri': 'https://api.example.org/signup/key?token=hidden',
    'violated-directive': "script-src-elem 'none'",
    'blocked-uri': 'https://evil.example/x.js?hidden=1',
    'script-sample': 'hidden',
    ...more,
  },
});

reports('are logged without anything that a page or a reporter could hide in them', async (context) => {
  const { send, entries, gateway } = context;
  assert.is(await send(reportOf()), 204);
  const long = 'x'.repeat(1500);
  const page = `https://x.example/${gateway.keys.free}/${long}`;
  await send(
    reportOf({ 'document-uri': page, 'violated-directive': `a\nb${long}`, 'blocked-uri': 'inline' }),
  );
  await send(reportOf({ 'document-uri': 7, 'violated-directive': {}, 'blocked-uri': `${long}:y` }));
  assert.equal(
    entries().map(({ directive, blocked }) => [directive, blocked]),
    [
      ['script-src-elem', 'https://evil.example'],
      ['unknown', 'inline'],
      ['unknown', 'unknown'],
    ],
  );
  assert.is(entries()[0]?.page, '/signup/key');
  const text = JSON.stringify(entries());
  assert.ok(text.length < 2000, String(text.length));
  assert.not.ok(text.includes('hidden') || text.includes(gateway.keys.free));
});

reports(
  'write ten entries in a minute at most, and none if they are too large or not reports',
  async (context) => {
    const { send, entries, gateway } = context;
    assert.is(await send('x'.repeat(9000)), 413);
    for (const body of ['', '{', 'null', '[]', '[null]', '{"csp-report": 5}'])
      assert.is(await send(body), 204);
    // Neither becomes a text.
    for (const value of ['{"toString": 1, "valueOf": 1}', `${'['.repeat(3500)}${']'.repeat(3500)}`]) {
      assert.is(await send(`{"csp-report": {"violated-directive": ${value}}}`), 204);
      gateway.clock.now += 60_000;
    }
    const before = entries().length;
    const sendMany = async (page: string) => {
      for (let at = 0; at < 15; at++)
        await send(reportOf({ 'document-uri': `https://api.example.org/${page}/${at}` }));
    };
    await sendMany('first');
    assert.is(entries().length - before, 10);
    gateway.clock.now += 60_000;
    await sendMany('later');
    assert.is(entries().length - before, 20);
  },
);

reports.run();
