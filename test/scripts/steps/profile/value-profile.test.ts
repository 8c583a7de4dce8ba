import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addNumber, addTextValue, makeValues } from '../../../../scripts/steps/profile/value-profile.ts';

const profile = suite('the profile of values');

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index - 2);

profile('has the count, the range and each of up to 40 numbers', () => {
  const values = makeValues('atk');
  for (const number of [...upTo(40), 5, 5]) addNumber(values, number);
  assert.equal([values.numbers, values.min, values.max], [42, -2, 37]);
  assert.equal([...(values.choices ?? [])], upTo(40));
  addNumber(values, 40);
  addNumber(values, 5);
  assert.equal([values.numbers, values.max, values.choices], [44, 40, undefined]);
});

profile('has the count and each of up to 40 texts', () => {
  const values = makeValues('element');
  for (const text of [...upTo(40).map(String), '5']) addTextValue(values, text);
  assert.equal([values.texts, values.numbers], [41, 0]);
  assert.equal([...(values.categories ?? [])], upTo(40).map(String));
  addTextValue(values, 'another');
  addTextValue(values, '5');
  assert.equal([values.texts, values.categories], [43, undefined]);
});

profile.run();
