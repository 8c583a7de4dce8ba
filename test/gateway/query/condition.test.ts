import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ColumnBuilder } from '../../../gateway/query/column.ts';
import { parseCondition } from '../../../gateway/query/filters.ts';

const conditions = suite('conditions');

const builder = new ColumnBuilder('atk');
for (let value = 1; value <= 5; value++) builder.add(value - 1, value);
const COLUMN = builder.build(5);

/** The values that a condition selects. */
function select(operator: string, values: string[]): unknown[] {
  const { ranges } = parseCondition(`atk[${operator}]`, COLUMN, operator, values);
  return ranges.flatMap(([from, to]) => COLUMN.values.slice(from, to));
}

conditions('that are given twice must both hold', () => {
  for (const values of [
    ['2', '4'],
    ['4', '2'],
  ]) {
    assert.equal(select('lt', values), [1]);
    assert.equal(select('lte', values), [1, 2]);
    assert.equal(select('gt', values), [5]);
    assert.equal(select('gte', values), [4, 5]);
  }
});

conditions.run();
