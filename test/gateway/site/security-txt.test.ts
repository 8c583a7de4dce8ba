import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { securityTxtEndpoint } from '../../../gateway/site/files.ts';
import { SETTINGS } from '../../../gateway/commands/settings.ts';
import { startGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const security = suite('/.well-known/security.txt');
const DAY_MS = 86_400_000;
const SECURITY_TXT = '/.well-known/security.txt';

async function withGateway(
  use: (gateway: Awaited<ReturnType<typeof startGateway>>) => Promise<void>,
): Promise<void> {
  const contact = 'mailto:security@example.org';
  const publicUrl = 'https://api.example.org';
  const gateway = await startGateway(SAMPLE_GAMES, {
    endpoints: ({ now }) => [securityTxtEndpoint({ contact, publicUrl, now })],
  });
  await use(gateway).finally(() => gateway.stop());
}

security('names the contact, and expires half a year later', async () => {
  await withGateway(async ({ address }) => {
    const response = await fetch(address + SECURITY_TXT);
    assert.is(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal((await response.text()).split('\n'), [
      'Contact: mailto:security@example.org',
      `Expires: ${new Date(Date.parse('2026-06-01') + 180 * DAY_MS).toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: https://api.example.org${SECURITY_TXT}`,
      '',
    ]);
  });
});

security('is not there without a contact', async () => {
  const gateway = await startGateway(SAMPLE_GAMES);
  try {
    assert.is((await fetch(gateway.address + SECURITY_TXT)).status, 404);
  } finally {
    await gateway.stop();
  }
});

security('takes an email address or an https address', () => {
  const { read } = SETTINGS.securityContact;
  assert.is(read('Security@Example.org'), 'mailto:security@example.org');
  assert.is(read('https://example.org/report'), 'https://example.org/report');
  for (const contact of [
    'http://example.org',
    'nobody',
    'a@example.org\nExpires: x',
    'https://u:p@example.org',
  ])
    assert.throws(() => read(contact), /expected an email address/, contact);
});

security.run();
