import { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { securityTxtEndpoint } from '../../../gateway/site/files.ts';
import { addSiteOptions } from '../../../gateway/site/options.ts';
import { NOON, startGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const security = suite('/.well-known/security.txt');
const DAY_MS = 86_400_000;
const SECURITY_TXT = '/.well-known/security.txt';

async function withGateway(
  expires: number | undefined,
  use: (gateway: Awaited<ReturnType<typeof startGateway>>) => Promise<void>,
): Promise<void> {
  const contact = 'mailto:security@example.org';
  const publicUrl = 'https://api.example.org';
  const gateway = await startGateway(SAMPLE_GAMES, {
    endpoints: ({ now }) => [securityTxtEndpoint({ contact, expires, publicUrl, now })],
  });
  await use(gateway).finally(() => gateway.stop());
}

security('names the contact, and expires half a year later without a setting', async () => {
  await withGateway(undefined, async ({ address }) => {
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

security('is not there after the time that the operator has set', async () => {
  await withGateway(NOON + DAY_MS, async ({ address, clock }) => {
    assert.match(await (await fetch(address + SECURITY_TXT)).text(), /^Expires: 2026-06-02T12:00:00\.000Z$/m);
    clock.now += DAY_MS;
    assert.is((await fetch(address + SECURITY_TXT)).status, 404);
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

/** Reads the options from a command line. @throws the error of commander */
function read(...words: string[]): { securityContact?: string; securityExpires?: number } {
  const command = addSiteOptions(new Command().exitOverride().configureOutput({ writeErr() {} }));
  const { securityContact, securityExpires } = command.parse(words, { from: 'user' }).opts();
  return { ...(securityContact && { securityContact }), ...(securityExpires && { securityExpires }) };
}

security('takes an email address or an https address, and a time in the future', () => {
  assert.equal(read('--security-contact', 'Security@Example.org'), {
    securityContact: 'mailto:security@example.org',
  });
  assert.equal(read('--security-contact', 'https://example.org/report'), {
    securityContact: 'https://example.org/report',
  });
  assert.is(read('--security-expires', '2999-01-31').securityExpires, Date.parse('2999-01-31'));
  for (const contact of [
    'http://example.org',
    'nobody',
    'a@example.org\nExpires: x',
    'https://u:p@example.org',
  ])
    assert.throws(() => read('--security-contact', contact), /expected an email address/, contact);
  for (const time of ['2020-01-01', 'tomorrow', '9999'])
    assert.throws(() => read('--security-expires', time), /expected a time in the future/, time);
});

security.run();
