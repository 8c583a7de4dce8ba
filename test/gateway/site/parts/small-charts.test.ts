import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Column, ColumnBuilder } from '../../../../gateway/query/column.ts';
import { countParts } from '../../../../gateway/site/parts/small-charts.tsx';

const columns = suite('small charts');

function columnOf(values: readonly number[]): Column {
  const builder = new ColumnBuilder('atk');
  for (const [row, value] of values.entries()) builder.add(row, value);
  return builder.build(values.length);
}

columns('count the numbers of a column in equal parts, before and after the column was ordered', () => {
  const column = columnOf([10, 0, 4.9, 5, 5, 9.9]);
  assert.equal(countParts(column, 2, 0, 10), [2, 4]);
  assert.is(column.present, 6);
  assert.equal(countParts(column, 2, 0, 10), [2, 4]);
  assert.equal(countParts(column, 10, 0, 10), [1, 0, 0, 0, 1, 2, 0, 0, 0, 2]);
});

columns.run();
