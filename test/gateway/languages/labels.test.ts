import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runAtOnce } from '../../../gateway/http/work.ts';
import { Collection } from '../../../gateway/query/collection.ts';
import { describeFacets } from '../../../gateway/query/facets.ts';
import { translateLabels } from '../../../gateway/languages/labels.ts';
import { encodeList, type JsonObject } from '../../../scripts/format/dist-format.ts';

const facets = suite('translateLabels');

facets('labels values in a language: by the dictionary, or by the texts of the records', () => {
  const values = [
    { value: 'c1', label: 'Saber', label_ja: 'セイバー', count: 9 },
    { value: 'c2', label: 'Archer', count: 9 },
  ];
  const records = [
    { class: 'c1', home: 'Sea', home_ja: '海' },
    { class: 'c2', home: 'Sea' },
    { class: 'c3', home: 'Wood', home_ja: '森' },
    { home: 'Wood', home_ja: '林' },
  ];
  const list = new Collection(Buffer.from(encodeList(records)));
  const valuesIn = (language: string) =>
    runAtOnce(
      describeFacets(list, [{ key: 'class', list: false, count: 2, values }], (labels, column) =>
        translateLabels(labels, column, list, language),
      ),
    ).records.map((record) => (JSON.parse(record.toString()) as { values: JsonObject[] }).values);
  const [classes, homes] = valuesIn('ja');
  assert.equal(classes, [
    { value: 'c1', label: 'セイバー', label_en: 'Saber', label_ja: 'セイバー', count: 1 },
    { value: 'c2', label: 'Archer', count: 1 },
    { value: 'c3', count: 1 },
  ]);
  // Two texts stand beside "Wood": neither is its label.
  assert.equal(homes, [
    { value: 'Sea', label: '海', count: 2 },
    { value: 'Wood', count: 2 },
  ]);
  assert.equal(valuesIn('en')[0]?.[0], { value: 'c1', label: 'Saber', label_ja: 'セイバー', count: 1 });
});

facets.run();
