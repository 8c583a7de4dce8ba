import { InputError } from '../../../../gateway/input/input-error.ts';
import { isIP } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isInNetworks, MAX_NETWORKS, readNetworks } from '../../../../gateway/key-terms/shared/networks.ts';
import { fc } from '../../../support/random.ts';

const test = suite('networks of a key');

test('a list has addresses and ranges, each in one form and once', () => {
  const typed =
    '203.0.113.7, 198.51.100.77/24\n2001:DB8:0::7\t2001:db8:5:6::/48 203.0.113.7/32,::ffff:203.0.113.7';
  assert.equal(readNetworks(typed), ['203.0.113.7', '198.51.100.0/24', '2001:db8::7', '2001:db8:5::/48']);
  assert.equal(readNetworks(' ,\n'), []);
});

test('what is neither an address nor a range is refused, and named', () => {
  const wrong = [
    ...[
      'localhost',
      '1.2.3',
      '1.2.3.4.5',
      '0x7f.0.0.1',
      '010.0.0.1',
      '1.2.3.4/33',
      '1.2.3.4/',
      '1.2.3.4/8/8',
    ],
    ...['1.2.3.4/-1', '::/129', '2001:db8::%eth0/64', ':::', '1.2.3.4/1e1', '<script>'],
  ];
  for (const entry of wrong) {
    assert.throws(
      () => readNetworks(`203.0.113.7 ${entry}`),
      (error: unknown) => error instanceof InputError && error.message.includes(JSON.stringify(entry)),
      entry,
    );
  }
});

test('a list is bounded', () => {
  const entries = Array.from({ length: MAX_NETWORKS + 1 }, (_, n) => `10.0.0.${n}`);
  assert.is(readNetworks(entries.slice(1).join(',')).length, MAX_NETWORKS);
  assert.throws(() => readNetworks(entries.join(',')), /33 entries, expected at most 32/);
});

test('an address is in a list if a range contains it, in every spelling of the address', () => {
  const networks = readNetworks('203.0.113.0/25 2001:db8::/47 192.0.2.1');
  const cases: [address: string, isIn: boolean][] = [
    ['203.0.113.127', true],
    ['203.0.113.128', false],
    ['::ffff:203.0.113.5', true],
    ['192.0.2.1', true],
    ['192.0.2.2', false],
    ['2001:db8:1:ffff::1', true],
    ['2001:DB8:0001::1', true],
    ['2001:db8:2::', false],
    ['2001:db8::1%eth0', true],
    ['', false],
    ['unknown', false],
  ];
  for (const [address, isIn] of cases) assert.is(isInNetworks(networks, address), isIn, address);
  assert.ok(isInNetworks(readNetworks('0.0.0.0/0'), '203.0.113.7'));
  assert.not(isInNetworks(readNetworks('0.0.0.0/0'), '2001:db8::1'));
});

test('random addresses are in exactly the ranges whose leading bits they share', () => {
  const bitsOf = (address: string) =>
    isIP(address) === 4
      ? address
          .split('.')
          .map((part) => Number(part).toString(2).padStart(8, '0'))
          .join('')
      : '';
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV4(), fc.nat(32), (first, address, length) => {
      const isIn = bitsOf(first).slice(0, length) === bitsOf(address).slice(0, length);
      const networks = readNetworks(`${first}/${length}`);
      assert.is(isInNetworks(networks, address), isIn);
      assert.ok(isInNetworks(networks, first));
      assert.equal(readNetworks(networks.join(' ')), networks);
    }),
  );
});

test.run();
