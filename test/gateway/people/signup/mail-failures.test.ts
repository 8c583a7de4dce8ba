import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readMail } from '../mail/smtp-server.ts';
import { FORWARDED, linkIn, type SignupWorld, startSignup, tokenIn } from './world.ts';

/** How the mail server answers to addresses, by what stands before the @. */
const CODES: Record<string, number> = { gone: 550, full: 452 };

const failures = suite<{ world: SignupWorld }>('sign-up without a mail');
failures.before(async (context) => {
  context.world = await startSignup({ refuseRecipient: (address) => CODES[address.split('@')[0] ?? ''] });
});
failures.after(({ world }) => world.stop());

failures('says so where the mail server refuses the address for good', async ({ world }) => {
  const { status, text } = await world.post('/signup', { email: 'gone@example.org' });
  assert.is(status, 400);
  assert.match(text, /does not accept mail for this email address/);
});

failures(
  'loses nothing while the mail server is down: it says when to try again, and counts nothing',
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

failures('a mail that a slow server takes after all brings a link that works', async () => {
  const sources: string[] = [];
  const world = await startSignup({
    mailTimeoutMs: 2000,
    smtpOptions: {
      // Takes the mail, and never says so.
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
