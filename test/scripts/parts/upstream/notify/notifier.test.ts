import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type HeldData,
  type HeldNotice,
  makeEvent,
  makeMail,
} from '../../../../../scripts/parts/upstream/notify/notice.ts';
import { createNotifier } from '../../../../../scripts/parts/upstream/notify/notifier.ts';
import { startSmtp } from '../../../../gateway/parts/people/mail/smtp-server.ts';

const test = suite('notices');

const AT = '2026-01-01T00:00:00Z';
const NOTICE: HeldNotice = {
  type: 'build.held',
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

test.run();
