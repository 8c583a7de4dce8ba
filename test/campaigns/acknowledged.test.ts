import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Acknowledged } from './acknowledged.ts';

test('a commit is lost if its key is gone, or works again', () => {
  const acknowledged = new Acknowledged();
  acknowledged.issued('gdr_aaaaaaaaxyz');
  acknowledged.issued('gdr_bbbbbbbb');
  const before = acknowledged.copy();
  acknowledged.revoked('gdr_bbbbbbbb');
  assert.is(acknowledged.size, 3);
  const [a, b] = [
    { prefix: 'gdr_aaaaaaaa', revoked_at: null },
    { prefix: 'gdr_bbbbbbbb', revoked_at: null },
  ];
  assert.equal(acknowledged.findLost([a, { ...b, revoked_at: '2031-01-01T00:00:00.000Z' }]), []);
  assert.equal(before.findLost([a, b]), []);
  assert.equal(acknowledged.findLost([b]), [
    'gdr_aaaaaaaa is gone',
    'gdr_bbbbbbbb was revoked, and works again',
  ]);
});

test.run();
