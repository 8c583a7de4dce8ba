import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalEmail, readEmail } from '../../../gateway/store/email.ts';
import { table } from '../../support/table.ts';

const test = suite('email addresses');

const LONG_DOMAIN = `${'a'.repeat(60)}.`.repeat(4);

test('spellings of the same email address are normalized to one', () => {
  for (const [text = '', email = ''] of table`
    ada@example.org | ada@example.org
    Ada.L+x@Example.ORG | ada.l+x@example.org
    ada@Bücher.example | ada@xn--bcher-kva.example
    ada@例え。jp | ada@xn--r8jz45g.jp
    demo@localhost | demo@localhost
  `) {
    assert.is(readEmail(text), email, text);
    assert.is(readEmail(email), email, `${email} is already normalized`);
  }
  assert.is(readEmail('ada@bu\u0308cher.example'), 'ada@xn--bcher-kva.example');
  assert.is(readEmail('JOSÉ@example.org'), 'jose\u0301@example.org'.normalize('NFC'));
});

test('texts that no mail could be sent to are refused', () => {
  const refused = `|ada|@example.org|ada@|ada@@example.org|ada @example.org| ada@example.org|ada@example.org\n
    ada\u0000@example.org|ada\u202e@example.org|ada\u00a0@example.org|<ada>@example.org|ada,bob@example.org
    "ada"@example.org|ada(x)@example.org|ada\\x@example.org|ada.@example.org|a..b@example.org|ada@example.org/x
    ada@exam%70le.org|ada@example.org:25|ada@[127.0.0.1]|ada@127.0.0.1|ada@0x7f.1|ada@-example.org
    ada@example..org|ada@example.org.|ada@exa_mple.org|${'a'.repeat(65)}@example.org|${'Ⱥ'.repeat(32)}@example.org|ada@${'a'.repeat(64)}.org
    ${'a'.repeat(20)}@${LONG_DOMAIN}org|ada@${'a'.repeat(1_000_000)}.org`.split(/\||\n {4}/);
  for (const text of refused) assert.is(readEmail(text), undefined, JSON.stringify(text).slice(0, 80));
});

test('an email address of the maximum length is accepted', () => {
  const text = `${'a'.repeat(64)}@${`${'a'.repeat(61)}.`.repeat(3)}org`;
  assert.is(text.length, 254);
  assert.is(readEmail(text), text);
});

test('for limits, tags do not count, and at Gmail neither do dots', () => {
  for (const [email, expected] of [
    ['ada@example.org', 'ada@example.org'],
    ['ada+games@example.org', 'ada@example.org'],
    ['ada+a+b@example.org', 'ada@example.org'],
    ['a.da@example.org', 'a.da@example.org'],
    ['a.d.a+x@gmail.com', 'ada@gmail.com'],
    ['ada@googlemail.com', 'ada@gmail.com'],
    ['+x@example.org', '+x@example.org'],
  ] as const) {
    assert.is(canonicalEmail(email), expected);
  }
});

test.run();
