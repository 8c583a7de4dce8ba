import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalise, sortAttributes } from '../../../scripts/compile/compile-build.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';

const test = suite('canonical form');

/** Copies a value, with the keys of every object in another order. */
function shuffleKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffleKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, shuffleKeys(part)]),
  );
}

test('values that differ only in the order of keys become equal text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { value: canonical, problems } = canonicalise(value);
      assert.equal(problems, []);
      assert.equal(JSON.parse(JSON.stringify(canonical)), JSON.parse(JSON.stringify(value)));
      assert.is(JSON.stringify(canonicalise(shuffleKeys(value)).value), JSON.stringify(canonical));
    }),
  );
});

test('id and name come first, the other keys in order', () => {
  const { value } = canonicalise({ b: 1, name: 'n', a: { name: 'm', id: 'j', Z: 1 }, id: 'i' });
  assert.is(JSON.stringify(value), '{"id":"i","name":"n","a":{"id":"j","name":"m","Z":1},"b":1}');
});

test('sorting an object of canonical attributes gives its canonical form', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom('id', 'name', '__proto__', '7'),
      (rest, key) => {
        const value = canonicalise({ b: 1, ...rest }).value as JsonObject;
        const merged = { ...value, ...JSON.parse(`{"${key}": {"x": [1]}}`) };
        assert.is(JSON.stringify(sortAttributes(merged)), JSON.stringify(canonicalise(merged).value));
        assert.is(Object.getPrototypeOf(sortAttributes(merged)), Object.prototype);
      },
    ),
  );
});

test('absent attributes and list elements are dropped', () => {
  assert.equal(canonicalise({ a: undefined, b: [undefined, null, 1] }).value, { b: [null, 1] });
});

test('everything that JSON cannot hold is left out and reported with its pointer', () => {
  const { value, problems } = canonicalise({ a: Infinity, 'b/c': [1, Number.NaN], f: () => 1, ok: 1 });
  assert.equal(value, { 'b/c': [1], ok: 1 });
  assert.equal(
    problems.map(({ pointer }) => pointer),
    ['/a', '/b~1c/1', '/f'],
  );
});

test('a value that contains itself is a problem, not an endless loop', () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  const { problems } = canonicalise(loop);
  assert.is(problems.length, 1);
  assert.match(problems[0]?.found ?? '', 'levels of nesting');
});

test.run();
