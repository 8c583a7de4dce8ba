import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey, readKey, readPrefix } from '../../../gateway/access/api-key.ts';
import { fc } from '../../support/random.ts';

const test = suite('API key');

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

test('a key is gdr_, its random bits in base 32 and its CRC-32', () => {
  // The base-32 text follows RFC 4648; the CRC-32 of the text before it is 0x9b3f35e7.
  const { key } = createKey((size) => Buffer.from('12345678901234567890'.slice(0, size)));
  assert.is(key, 'gdr_gezdgnbvgy3tqojqgezdgnbvgy3tqojqcnt6nph');
});

test('every change of one character of a key is refused', () => {
  const { key } = createKey();
  for (let at = 0; at < key.length; at++) {
    for (const other of `${ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ0189_- `) {
      if (other !== key[at]) assert.is(readKey(key.slice(0, at) + other + key.slice(at + 1)), undefined);
    }
  }
});

test('a key is identified by its prefix, with or without gdr_, or by the whole key', () => {
  const { key, prefix } = createKey();
  for (const text of [prefix, prefix.slice(4), key]) assert.is(readPrefix(text), prefix);
});

test('any other text is refused; nothing throws', () => {
  const { key, prefix } = createKey();
  const incomplete = ['', ' ', 'gdr_', 'gdr_abc', 'abcdefgh1', 'ABCDEFGH', `${prefix}a`, key.slice(0, -2)];
  const more = [`${key}a`, `${key} `, ` ${key}`, `${key}\n`, key.toUpperCase(), `${key},${key}`];
  for (const text of [...incomplete, ...more])
    assert.equal([readKey(text), readPrefix(text)], [undefined, undefined], JSON.stringify(text));
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => readKey(text) === undefined));
});

test.run();
