import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SETTINGS } from '../../../gateway/commands/settings.ts';

test('the contact in security.txt is an email address or an https address', () => {
  const [, , , read] = SETTINGS.securityContact;
  assert.is(read('Security@Example.org'), 'mailto:security@example.org');
  assert.is(read('https://example.org/report'), 'https://example.org/report');
  for (const contact of ['http://example.org', 'a@example.org\nExpires: x', 'https://u:p@example.org'])
    assert.throws(() => read(contact), /expected an email address/, contact);
});

test.run();
