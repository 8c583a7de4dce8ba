import micromatch from 'micromatch';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countExpansions, expandPattern, MAX_EXPANSIONS } from '../../../scripts/read/patterns.ts';
import { fc } from '../../support/random.ts';

const test = suite('expandPattern');

function foundBy(pattern: string): string {
  const expansion = expandPattern(pattern);
  return 'problem' in expansion ? expansion.problem.found : 'nothing';
}

test('expands braces as fast-glob does', () => {
  assert.equal(expandPattern('raw/{a,b}.{json,yaml}'), {
    parts: ['raw/a.json', 'raw/a.yaml', 'raw/b.json', 'raw/b.yaml'],
  });
  assert.equal(expandPattern('raw/x{1..3}.json'), { parts: ['raw/x1.json', 'raw/x2.json', 'raw/x3.json'] });
});

for (const pattern of [
  '{raw,..}/x.json',
  '{raw/,}/*.json',
  '{/etc,raw}/*',
  '{raw,.}{.,x}/x.json',
  'raw/{a,{b,..}}/x.json',
  '{a,}/x.json',
  '{!/,a}/x',
  '{.,a}/x',
]) {
  test(`refuses "${pattern}", one of whose meanings leads out of the folder`, () => {
    assert.match(foundBy(pattern), /^".*", which the pattern stands for and which is outside/);
  });
}

for (const pattern of [
  '{1..1000000000}',
  '{1..1001}.json',
  '{a..z}{a..z}{a..z}',
  '{a,b}'.repeat(40),
  '{a,b{c,d}}'.repeat(20),
  '{a,'.repeat(60) + '}'.repeat(60),
  '{{a,b}{a,b}{a,b},'.repeat(20),
  '{1..9e2}{1..9e2}{1..9e2}',
  '{1..1000}{1,2}',
]) {
  test(`refuses "${pattern.slice(0, 40)}", which stands for too many patterns, without expanding it`, () => {
    assert.match(foundBy(pattern), /whose braces stand for more than 1000 patterns$/);
  });
}

test('refuses braces that the library cannot read', () => {
  assert.is(foundBy('{(})'), '"{(})", whose braces cannot be read');
});

test('refuses a pattern that is too long', () => {
  assert.is(foundBy('a'.repeat(1000)), 'nothing');
  assert.is(foundBy('a'.repeat(1001)), 'a pattern of 1001 characters');
});

test('counts a range whose ends hold braces as large', () => {
  for (const pattern of ['{$..a{1..3}}', '{|{1..3}{1..3}..1}'])
    assert.ok(countExpansions(pattern) >= MAX_EXPANSIONS, pattern);
});

test('never counts fewer patterns than there are', () => {
  const token = fc.constantFrom(
    ...['{', '}', ',', '{a,', ',c}', '{1..3}', '..', 'a', '1', '-3', '/', '(', ')', '[', ']', '"', '$', '|'],
  );
  const patterns = fc.array(token, { maxLength: 16 }).map((tokens) => tokens.join(''));
  let expanded = 0;
  fc.assert(
    fc.property(patterns, (pattern) => {
      const count = countExpansions(pattern);
      if (count > MAX_EXPANSIONS) return;
      if (/cannot be read/.test(foundBy(pattern))) return;
      const parts = micromatch.braces(pattern, { expand: true, nodupes: false, keepEscaping: true });
      if (parts.length > 1) expanded++;
      assert.ok(parts.length <= count, `${pattern}: ${parts.length} > ${count}`);
    }),
    { numRuns: 3000 },
  );
  assert.ok(expanded > 50, `only ${expanded} patterns had alternatives`);
});

test.run();
