import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findChat } from '../../../../scripts/upstream/notify/chat.ts';
import {
  type HeldData,
  type HeldNotice,
  makeEvent,
  makeMail,
} from '../../../../scripts/upstream/notify/notice.ts';
import { createNotifier } from '../../../../scripts/upstream/notify/notifier.ts';
import { startSmtp } from '../../../gateway/people/mail/smtp-server.ts';

const test = suite('notices');

const AT = '2026-01-01T00:00:00Z';
const NOTICE: HeldNotice = {
  type: 'build.held',
  game: 'my-game',
  build: '1.1',
  before: '1.0',
  version: 'abc123',
  errors: Array.from({ length: 12 }, (_, index) => `records-lost: ${index} ${'x'.repeat(400)}`),
  review: 'var/reviews/my-game-1.1.html',
};

test('are mailed over SMTP', async () => {
  const smtp = await startSmtp();
  try {
    const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Games <games@example.org>' };
    const notify = createNotifier({ mail: 'ada@example.org' }, env);
    assert.equal(await notify(NOTICE, AT), []);
    const [mail, ...more] = smtp.mails;
    assert.equal(more, []);
    assert.match(JSON.stringify(mail), 'my-game 1.1 is held back: 12 errors');
  } finally {
    await smtp.stop();
  }
});

test('say why they were not delivered, without addresses', async () => {
  const env = { SMTP_URL: 'smtp://user:secret@127.0.0.1:1', MAIL_FROM: 'games@example.org' };
  const notify = createNotifier({ mail: 'ada@example.org' }, env);
  const [failure = '', ...more] = await notify(NOTICE, AT);
  assert.equal(more, []);
  assert.match(failure, 'ECONNREFUSED');
  assert.not.match(failure, /ada|secret/);
});

test('are short, and have the same id until something changes', () => {
  const event = makeEvent(NOTICE, AT);
  assert.is(makeEvent(NOTICE, '2026-01-02T00:00:00Z').id, event.id);
  assert.is.not(makeEvent({ ...NOTICE, version: 'def' }, AT).id, event.id);
  const { errors } = event.data as HeldData;
  assert.equal([errors.count, errors.first.length], [12, 10]);
  assert.ok(JSON.stringify(event).length < 5000);
  const { text } = makeMail(NOTICE, 'ada@example.org');
  assert.match(text, 'compared with 1.0');
  assert.match(text, '- and 2 more');
});

test('of a step that fails are the same until it has worked again', () => {
  const failing = { game: 'my-game', step: 'pull', since: AT, error: 'no network' } as const;
  const event = makeEvent({ ...failing, type: 'pull.failing' }, AT);
  assert.equal(event.data, failing);
  assert.is(makeEvent({ ...failing, type: 'pull.failing', error: 'another' }, AT).id, event.id);
  assert.is.not(makeEvent({ ...failing, type: 'pull.recovered' }, AT).id, event.id);
  const { subject, text } = makeMail({ ...failing, type: 'pull.failing' }, 'ada@example.org');
  assert.is(subject, 'my-game cannot be pulled');
  assert.match(text, 'failed since 2026-01-01T00:00:00Z');
  assert.match(text, '- no network');
  const all = { ...failing, type: 'pull.recovered', game: undefined, step: 'publish' } as const;
  assert.is(makeMail(all, 'ada@example.org').subject, 'The games can be published again');
});

/** Responds as the API of Discord does to a post of a webhook, and as Slack's incoming webhooks do. */
function respondAsChat(path: string, body: Record<string, unknown>): [status: number, text: string] {
  if (path.startsWith('/api/webhooks/')) {
    const { content = '' } = body;
    if (typeof content !== 'string' || content === '')
      return [400, '{"message": "Cannot send an empty message", "code": 50006}'];
    return content.length > 2000 ? [400, '{"content": ["Must be 2000 or fewer in length."]}'] : [204, ''];
  }
  const isPlain = typeof body.text === 'string' && Object.keys(body).every((key) => key === 'text');
  return isPlain ? [200, 'ok'] : [400, 'no_text'];
}

test('have the shape that Discord and Slack expect, in which no markup has an effect', async () => {
  const received: [path: string, body: Record<string, unknown>][] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    received.push([request.url ?? '', JSON.parse(text)]);
    const [status, reply] = respondAsChat(request.url ?? '', JSON.parse(text));
    response.writeHead(status).end(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const notice = {
      ...NOTICE,
      errors: ['records-lost: <!channel> @everyone ``` [a](https://b.example)', ...NOTICE.errors],
    };
    for (const path of ['/api/webhooks/123/abc-DEF', '/services/T0123/B0123/abcDEF']) {
      // Neither needs a secret: the address is one.
      const notify = createNotifier({ webhook: `${address}${path}` }, {});
      assert.equal(await notify(notice, AT), []);
    }
    const [[, discord] = [], [, slack] = []] = received;
    assert.equal(discord?.allowed_mentions, { parse: [] });
    assert.match(String(discord?.content), /^```\nmy-game 1\.1 is held back: 13 errors\n\n[^`]*\n```$/);
    assert.match(
      String(slack?.text),
      /^```\nmy-game 1\.1 is held back: 13 errors\n\n[^`<>]*&lt;!channel&gt;[^`<>]*\n```$/,
    );
    const other = createNotifier(
      { webhook: `${address}/services/other` },
      { GAMEDATA_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` },
    );
    assert.equal(await other(notice, AT), ['the response had status 400']);
  } finally {
    server.close();
  }
});

test('go to Discord and Slack only in their own shape', () => {
  assert.ok(findChat('https://discord.com/api/webhooks/1/a'));
  assert.ok(findChat('https://canary.discord.com/api/v10/webhooks/1/a?wait=true'));
  assert.ok(findChat('https://hooks.slack.com/services/T1/B1/x'));
  assert.not(findChat('https://discord.com.example.org/api/webhooks/1/a'));
  assert.not(findChat('https://example.org/services/T1/B1/x'));
});

test.run();
