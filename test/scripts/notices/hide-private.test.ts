import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hidePrivate } from '../../../scripts/notices/hide-private.ts';

test('hides words with an address or a link, and puts the rest on one line', () => {
  const said =
    '550 <ada@example.org> unknown;\r\n see https://mail.example.org/why?to=ada@example.org, or smtp://user:password@host';
  assert.is(hidePrivate(said), '550 <…> unknown; see … or …');
});

test.run();
