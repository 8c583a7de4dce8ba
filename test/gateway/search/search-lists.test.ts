import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Collection } from '../../../gateway/query/collection.ts';
import { readSearchText, type SearchText } from '../../../gateway/query/fold.ts';
import { ListSearch } from '../../../gateway/search/search-lists.ts';
import { encodeList } from '../../../scripts/format/dist-format.ts';

const lists = suite('a search over several lists');

const LISTS = Array.from({ length: 50 }, (_, at) => {
  const records = [
    { id: '1', name: `Raiden ${at}` },
    { id: '2', name: at === 30 ? 'Raiden' : `Unit ${at}` },
  ];
  return new Collection(Buffer.from(encodeList(records)));
});

function search(q: string, atOnce: number) {
  const found = new ListSearch(LISTS, readSearchText(q) as SearchText);
  let parts = 1;
  const runAll = () => {
    while (!found.run(atOnce)) parts++;
  };
  runAll();
  if (found.beginNear()) runAll();
  return { parts, ...found.page(0, 3) };
}

for (const q of ['raiden', 'raidn', 'nothing like it', 'un', 'x']) {
  lists(`finds the same for ${q} in parts of any size`, () => {
    const { parts: one, ...whole } = search(q, 1000);
    const { parts: many, ...inParts } = search(q, 7);
    assert.equal(inParts, whole);
    assert.is(one, 1);
    assert.ok(many >= 50 / 7);
  });
}

lists('orders the results of all lists together', () => {
  const { total, hits } = search('raiden', 1000);
  assert.is(total, 51);
  assert.equal(
    hits.map(({ list, row }) => [list, row]),
    [
      [30, 1],
      [0, 0],
      [1, 0],
    ],
  );
});

lists('without lists there is nothing', () => {
  const found = new ListSearch([], readSearchText('raiden') as SearchText);
  assert.ok(found.run(1));
  assert.equal(found.page(0, 10), { total: 0, hits: [] });
});

lists.run();
