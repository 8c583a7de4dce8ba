import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Collection } from '../../../gateway/query/collection.ts';
import { parseListQuery, selectRows } from '../../../gateway/query/list-query.ts';
import { encodeList, type JsonObject } from '../../../scripts/format/dist-format.ts';
import { table } from '../../support/table.ts';

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

for (const [q = '', expected = ''] of table`
  hutao | Hu Tao
  tao hu | Hu Tao
  chen | Ch'en, Chen Qianyu, Ch'en the Holungday
  soldier11 | Soldier 11
  raidn | Raiden Shogun
  raidn shogn | Raiden Shogun
  雷電 | Raiden Shogun
  라이덴쇼군 | Raiden Shogun
  ㄹㅇㄷ | Raiden Shogun
  ei | Raiden Shogun
  ayaka | Ayaka the Younger, Kamisato Ayaka
  kamisto ayaka | Kamisato Ayaka
  lm |
`)
  search(`finds ${expected || 'nothing'} for ${q}`, () => assert.is(find(q).join(', '), expected));

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

function foundIn(records: readonly JsonObject[], q: string): string[] {
  const list = new Collection(Buffer.from(encodeList(records)));
  return selectRows(list, parseListQuery([['q', q]], list, 100)).rows.map((row) => String(records[row]?.id));
}

for (const [q, ...expected] of [
  ['Orphie & Magus', 'Orphie & Magus'],
  ['orphie magus', 'Orphie & Magus'],
  ['Rock & Roll', 'Rock and Roll'],
  ['dan heng', 'Dan Heng • Imbibitor Lunae'],
  ['⚔️', '⚔'],
  ['🛡', 'Shield 🛡️'],
  ['hu tao', 'Hu Tao'],
] as [string, ...string[]][])
  search(`finds a name with a symbol of its own by ${q}`, () => {
    const names = ['Orphie & Magus', 'Rock and Roll', 'Dan Heng • Imbibitor Lunae', '⚔', 'Shield 🛡️'];
    const records = [...names, 'Reserve Operator - Melee', 'Hu Tao', 'Thu Thaor'].map((name) => ({
      id: name,
      name,
    }));
    assert.equal(foundIn(records, q), expected);
  });

search('a name that another record has in another language is found in both', () => {
  const records = [
    { id: '1', name: 'Skirk', name_de: 'Ann' },
    { id: '2', name: 'Ann', name_de: 'Ann' },
    { id: '3', name: 'Skirk', name_de: 'Skirk' },
  ];
  assert.equal(foundIn(records, 'ann'), ['1', '2']);
  assert.equal(foundIn(records, 'skirk'), ['1', '3']);
});

search.run();
