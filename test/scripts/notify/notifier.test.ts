import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeEvent, makeMail } from '../../../scripts/notify/notice.ts';
import { createNotifier } from '../../../scripts/notify/notifier.ts';
import { startSmtp } from '../../gateway/people/mail/smtp-server.ts';

const test = suite('notices');

const AT = '2026-01-01T00:00:00Z';
const NOTICE = {
  game: 'my-game',
  build: '1.1',
  before: '1.0',
  version: 'abc123',
  errors: Array.from({ length: 12 }, (_, index) => `roster-loss: ${index} ${'x'.repeat(400)}`),
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
  assert.equal([event.data.errors.count, event.data.errors.first.length], [12, 10]);
  assert.ok(JSON.stringify(event).length < 5000);
  const { text } = makeMail(NOTICE, 'ada@example.org');
  assert.match(text, 'compared with 1.0');
  assert.match(text, '- and 2 more');
});

test.run();
