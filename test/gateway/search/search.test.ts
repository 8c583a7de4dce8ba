import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { payFor, runAtOnce } from '../../../gateway/http/work.ts';
import { Collection } from '../../../gateway/query/collection.ts';
import { readSearchText } from '../../../gateway/query/fold.ts';
import { parseListQuery } from '../../../gateway/query/list-query.ts';
import { selectRows } from '../../../gateway/query/select-rows.ts';
import { editDistance } from '../../../gateway/search/edit-distance.ts';
import { TypoIndex } from '../../../gateway/search/typo-index.ts';
import { encodeList, type JsonObject } from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';
import { distanceOf } from '../query/oracle.ts';

const search = suite('search in names');

const UNITS = [
  { name: 'Beidou', name_ja: '北斗' },
  { name: 'Raiden Shogun', name_ja: '雷電将軍', name_ko: '라이덴 쇼군', aliases: ['Ei', 'Raiden'] },
  { name: 'Hu Tao' },
  { name: "Ch'en" },
  { name: "Ch'en the Holungday" },
  { name: 'Chen Qianyu' },
  { name: 'Soldier 11', name_zh: '「11号」' },
  { name: 'Kamisato Ayaka' },
  { name: 'Kamisato Ayato' },
  { name: 'Ayaka the Younger' },
  { name: 'Lumi' },
  { name: 'Eir' },
];
const list = new Collection(
  Buffer.from(encodeList(UNITS.map((unit, at) => ({ id: `unit-${String(at).padStart(2, '0')}`, ...unit })))),
);

function find(q: string, ...further: [string, string][]): string[] {
  const { rows } = selectRows(list, parseListQuery([['q', q], ...further], list, 100));
  return rows.map((row) => UNITS[row]?.name as string);
}

for (const [q, ...expected] of [
  ['hutao', 'Hu Tao'],
  ['hu-tao', 'Hu Tao'],
  ['tao', 'Hu Tao'],
  ['tao hu', 'Hu Tao'],
  ['chen', "Ch'en", 'Chen Qianyu', "Ch'en the Holungday"],
  ["ch'en", "Ch'en", 'Chen Qianyu', "Ch'en the Holungday"],
  ['soldier11', 'Soldier 11'],
  ['11', 'Soldier 11'],
  ['raidn', 'Raiden Shogun'],
  ['raidn shogn', 'Raiden Shogun'],
  ['raidnshogn', 'Raiden Shogun'],
  ['雷電', 'Raiden Shogun'],
  ['라이덴쇼군', 'Raiden Shogun'],
  ['ㄹㅇㄷ', 'Raiden Shogun'],
  ['ei', 'Raiden Shogun'],
  ['ayaka', 'Ayaka the Younger', 'Kamisato Ayaka'],
  ['ayak', 'Ayaka the Younger', 'Kamisato Ayaka'],
  ['kamisto ayaka', 'Kamisato Ayaka'],
  ['lumii', 'Lumi'],
  ['lm'],
  ['zzzzzz'],
] as [string, ...string[]][]) {
  search(`finds ${expected.join(', ') || 'nothing'} for ${q}`, () => assert.equal(find(q), expected));
}

search('keeps the exact match of a short search for those that filters leave', () => {
  assert.equal(find('ei', ['name[ne]', 'Raiden Shogun']), ['Eir', 'Beidou']);
});

search('reports that a search is in order of relevance, unless an order is given', () => {
  const sortOf = (...further: [string, string][]) =>
    parseListQuery([['q', 'a'], ...further], list, 100).sortName;
  assert.equal(
    [sortOf(), sortOf(['sort', '-name']), sortOf(['ids', 'unit-01'])],
    ['relevance', '-name', 'ids'],
  );
  assert.equal(find('ayak', ['sort', 'id']), ['Kamisato Ayaka', 'Ayaka the Younger']);
  assert.equal(find('a', ['limit', '2'], ['offset', '1']), find('a').slice(1, 3));
});

const term = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'か'), minLength: 1, maxLength: 9 });

search('counts edits as the whole table does, up to the most', () => {
  fc.assert(
    fc.property(term, term, fc.integer({ min: 0, max: 3 }), (one, other, most) => {
      assert.is(editDistance(one, other, most), Math.min(distanceOf(one, other), most + 1));
    }),
    { numRuns: 5000 },
  );
  const long = 'ab'.repeat(100);
  assert.is(editDistance(long, `${long}c`, 2), 1);
});

search('finds every near term among many, and no other', () => {
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 40 }), term, (terms, asked) => {
      const index = runAtOnce(
        TypoIndex.make(terms.map((text) => ({ folded: text, compact: text, initials: text }))),
      );
      const [word] = readSearchText(asked)?.words ?? [];
      const most = asked.length < 3 ? 0 : asked.length < 6 ? 1 : 2;
      const near = terms.flatMap((text, at): [number, number][] => {
        const edits = distanceOf(asked, text);
        return most > 0 && edits <= most ? [[at, edits]] : [];
      });
      assert.equal(
        [...index.find(word as NonNullable<typeof word>)].sort(([a], [b]) => a - b),
        near,
      );
    }),
    { numRuns: 2000 },
  );
});

/** A list, and what is counted for a search in it. */
function countNames(records: readonly JsonObject[], q: string): { work: number; found: string[] } {
  const list = new Collection(Buffer.from(encodeList(records)));
  let work = 0;
  const found = payFor({ pay: (micros) => (work += micros) }, () =>
    selectRows(list, parseListQuery([['q', q]], list, 100)).rows.map((row) => String(records[row]?.id)),
  );
  return { work, found };
}

search('a name is searched once, however many languages have it', () => {
  const inOne = [{ id: '1', name: 'Skirk' }];
  const inFive = [{ ...inOne[0], name_de: 'Skirk', name_es: 'SKIRK', name_fr: 'Skirk', name_it: 'Skirk' }];
  for (const q of ['skirk', 'kir', 'skrk']) assert.equal(countNames(inFive, q), countNames(inOne, q));
});

search('a name that another record has in another language is found in both', () => {
  const records = [
    { id: '1', name: 'Skirk', name_de: 'Ann' },
    { id: '2', name: 'Ann', name_de: 'Ann' },
    { id: '3', name: 'Skirk', name_de: 'Skirk' },
  ];
  assert.equal(countNames(records, 'ann').found, ['1', '2']);
  assert.equal(countNames(records, 'skirk').found, ['1', '3']);
});

search.run();
