import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Collection } from '../../../gateway/query/collection.ts';
import { encodeLines, encodeList } from '../../../scripts/format/dist-format.ts';

const collection = suite('Collection');

const REFUSED: [string, lines: string[], RegExp][] = [
  ['a record that is not JSON', ['{"id":"a"}', '{"id":"b"'], /JSON/],
  ['a list that is not JSON', ['{"id":"a"}', '{"id":"b","tags":["x",]}'], /JSON/],
  [
    'an attribute of two types',
    ['{"id":"a","rarity":5}', '{"id":"b","rarity":"5"}'],
    /"rarity" has several types/,
  ],
  ['a list of two types', ['{"id":"a","tags":["x",1]}'], /"tags" has several types/],
  [
    'two types in an object',
    ['{"stats":{"atk":1}}', '{"stats":{"atk":true}}'],
    /"stats.atk" has several types/,
  ],
];
for (const [what, lines, message] of REFUSED) {
  collection(`refuses ${what} when it is made`, () => {
    assert.throws(() => new Collection(Buffer.from(encodeLines(lines))), message);
  });
}

collection('refuses a number of full records that differs from that of the entries', () => {
  const [one, two] = [[{ id: 'a' }], [{ id: 'a' }, { id: 'b' }]].map((list) => Buffer.from(encodeList(list)));
  assert.throws(() => new Collection(one as Buffer, two), /roster and characters differ in length/);
});

const IDS: [string, lines: string[], ids: [string, number][] | undefined][] = [
  [
    'in the order of its rows',
    ['{"id":"b"}', '{"id":"a"}'],
    [
      ['b', 0],
      ['a', 1],
    ],
  ],
  ['if it is empty', [], []],
  ['not if one has no id', ['{"id":"a"}', '{"name":"b"}'], undefined],
  ['not if ids are numbers', ['{"id":1}', '{"id":2}'], undefined],
  ['not if one is a list', ['{"id":"a"}', '{"id":["b"]}'], undefined],
];
for (const [where, lines, ids] of IDS) {
  collection(`numbers rows by id, ${where}`, () => {
    const { rowOfId } = new Collection(Buffer.from(encodeLines(lines)));
    assert.equal(rowOfId && [...rowOfId], ids);
  });
}

collection.run();
