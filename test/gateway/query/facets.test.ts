import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Collection } from '../../../gateway/query/collection.ts';
import { describeFacets } from '../../../gateway/query/facets.ts';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import { encodeLines, encodeList, type JsonObject } from '../../../scripts/format/dist-format.ts';

const facets = suite('describeFacets');

facets('counts a record once for each of its values, even if its list repeats one', () => {
  const lines = ['{"tags":["b","a","b"]}', '{}', '{"tags":"b"}', '{"tags":["b"]}'];
  const { records } = describeFacets(new Collection(Buffer.from(encodeLines(lines))));
  assert.equal(
    records.map((record) => JSON.parse(record.toString())),
    [
      {
        id: 'tags',
        type: 'string',
        list: true,
        count: 3,
        distinct: 2,
        values: [
          { value: 'a', count: 1 },
          { value: 'b', count: 3 },
        ],
      },
    ],
  );
});

function describe(records: JsonObject[], attributes: Attribute[] = []): JsonObject[] {
  const list = new Collection(Buffer.from(encodeList(records)));
  return describeFacets(list, attributes).records.map((record) => JSON.parse(record.toString()));
}

facets('lists at most 50 values of a facet, those that most records have, and counts the rest', () => {
  const records = Array.from({ length: 60 }, (_, index) => ({ title: `t${index}` }));
  const [title] = describe([...records, { title: 't59' }, { title: 't58' }]);
  const values = title?.values as { value: string; count: number }[];
  assert.is(values.length, 50);
  assert.equal(values.slice(-2), [
    { value: 't58', count: 2 },
    { value: 't59', count: 2 },
  ]);
  assert.equal([title?.distinct, title?.count, title?.rest], [60, 62, { distinct: 10, count: 10 }]);
});

facets('counts long texts without listing them', () => {
  const [text] = describe([{ text: 'short' }, { text: 'x'.repeat(101) }]);
  assert.equal(text?.values, [{ value: 'short', count: 1 }]);
  assert.equal(text?.rest, { distinct: 1, count: 1 });
});

facets('labels the values that the dictionary labels', () => {
  const values = [{ value: 1, label: 'Saber', label_ja: 'セイバー', count: 9 }];
  const [facet] = describe([{ class: 1 }, { class: 2 }], [{ key: 'class', list: false, count: 2, values }]);
  assert.equal(facet?.values, [
    { value: 1, label: 'Saber', label_ja: 'セイバー', count: 1 },
    { value: 2, count: 1 },
  ]);
});

facets.run();
