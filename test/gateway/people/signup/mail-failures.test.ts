import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readMail } from '../mail/smtp-server.ts';
import { FORWARDED, linkIn, type SignupWorld, startSignup, tokenIn } from './world.ts';

/** The mail server's replies to recipients, by the part before the @. */
const CODES: Record<string, number> = { gone: 550, full: 452 };

const failures = suite<{ world: SignupWorld }>('sign-up when mails fail');
failures.before(async (context) => {
  context.world = await startSignup({ refuseRecipient: (address) => CODES[address.split('@')[0] ?? ''] });
});
failures.after(({ world }) => world.stop());

failures('the page says that the mail server refuses the email address', async ({ world }) => {
  const { status, text } = await world.post('/signup', { email: 'gone@example.org' });
  assert.is(status, 400);
  assert.match(text, /does not accept mail for this email address/);
});

failures(
  'while the mail server is down, the page says when to try again, and nothing is counted',
  async ({ world }) => {
    const network = { [FORWARDED]: '198.51.100.1' };
    await world.smtp.stop();
    try {
      for (let attempt = 0; attempt < 12; attempt++) {
        const { status, headers, text } = await world.post('/signup', { email: 'late@example.org' }, network);
        assert.equal([status, headers.get('retry-after')], [503, '120']);
        assert.match(text, /Nothing was lost/);
        assert.match(text, /value="late@example.org"/);
      }
    } finally {
      await world.smtp.start();
    }
    assert.is((await world.post('/signup', { email: 'full@example.org' }, network)).status, 503);
    assert.is((await world.post('/signup', { email: 'late@example.org' }, network)).status, 200);
    const logged = world.gateway.logged.join('\n');
    assert.match(logged, /a mail could not be sent.*"refused"/);
    assert.match(logged, /a mail could not be sent.*ECONNREFUSED/);
    assert.not.match(logged, /example\.org/);
  },
);

failures('the link works in a mail that a slow server accepts after the timeout', async () => {
  const sources: string[] = [];
  const world = await startSignup({
    mailTimeoutMs: 2000,
    smtpOptions: {
      // Accepts the mail, but never replies.
      onData: (stream) => void stream.on('data', (part: Buffer) => sources.push(part.toString())),
    },
  });
  try {
    const { status, text } = await world.post('/signup', { email: 'slow@example.org' });
    assert.is(status, 503);
    assert.match(text, /Mail cannot be sent right now/);
    const link = linkIn(readMail(sources.join('')).text);
    assert.is((await world.post('/signup/key', { token: tokenIn(link) })).status, 200);
  } finally {
    await world.stop();
  }
});

failures.run();
