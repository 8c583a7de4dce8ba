import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeChange, referencesIn } from '../../../../gateway/site/model/changes.ts';
import {
  formatChange,
  formatDate,
  formatValue,
  fullLabel,
  type Known,
  labelOf,
  nameOfRecord,
} from '../../../../gateway/site/model/format-value.ts';

const test = suite('values for people');

const EN = { locale: 'en-US', lang: '' };
const DE = { locale: 'de-DE', lang: '' };
const ATTRIBUTES = new Map<string, Known>(
  (
    [
      { key: 'stats', label: 'Stats' },
      { key: 'stats.atk', label: 'ATK', label_ja: '攻撃力', label_zh_cn: '攻击力' },
      { key: 'stats.crit_rate', kind: 'percentage', unit: 'fraction: 0.05 is 5 %' },
      { key: 'stats.res', kind: 'percentage', unit: '%' },
      { key: 'rarity', label: 'Rarity', unit: 'stars' },
      { key: 'class', values: [{ value: 'PIONEER', label: 'Vanguard', label_ja: '先鋒', count: 3 }] },
      { key: 'start', kind: 'date' },
    ] as Known[]
  ).map((attribute) => [attribute.key, attribute]),
);
const known = (key: string): Known => ATTRIBUTES.get(key) ?? { key };

test('an object is its name and amount, or its members for people after its label', () => {
  const written = [
    { name: 'Mora', count: 20000 },
    { name: 'ATK', value: 7.5 },
    { label: 'DMG', level_1: '130%', level_10: '235%', format: '{param1:P}' },
    { label: 'Cooldown' },
    { affinity: 'Wrath', count: 5 },
  ].map((value) => formatValue(value, { key: 'numbers' }, EN));
  assert.equal(written, [
    'Mora × 20,000',
    'ATK 7.5',
    'DMG: Level 1 130%, Level 10 235%',
    'Cooldown',
    'Affinity Wrath, Count 5',
  ]);
});

test('labels, with words of the key where there is none', () => {
  assert.is(labelOf(known('stats.atk')), 'ATK');
  assert.is(labelOf(known('stats.atk'), 'ja'), '攻撃力');
  assert.is(labelOf(known('stats.atk'), 'zh-CN'), '攻击力');
  assert.is(labelOf(known('stats.atk'), 'fr'), 'ATK');
  assert.is(labelOf(known('base.crit_dmg')), 'Crit DMG');
  assert.is(fullLabel(ATTRIBUTES, 'stats.atk'), 'Stats · ATK');
});

test('numbers, percentages, units and dates in the reader’s locale', () => {
  assert.is(formatValue(12345.5, known('x'), EN), '12,345.5');
  assert.is(formatValue(12345.5, known('x'), DE), '12.345,5');
  assert.is(formatValue(0.05, known('stats.crit_rate'), EN), '5%');
  assert.is(
    formatValue(0.05, { key: 'x', kind: 'percentage' }, EN),
    '0.05',
    'nothing is guessed without a unit',
  );
  assert.is(formatValue(30, known('stats.res'), EN), '30%');
  assert.is(formatValue(5, known('rarity'), EN), '5 stars');
  assert.is(formatValue(1, known('rarity'), EN), '1 star');
  assert.is(formatValue(1, { key: 'hp', unit: 'units of distance' }, EN), '1 units of distance');
  assert.is(formatValue(5, { key: 'value', unit: 'as `rarity`' }, EN), '5');
  const labelled = [{ value: 4, label: '4-Star', count: 1 }];
  assert.is(formatValue(4, { key: 'rarity', unit: 'stars', values: labelled }, EN), '4-Star');
  assert.is(formatValue('2026-05-01', known('start'), EN), 'May 1, 2026');
  assert.is(formatDate('no date', 'en'), 'no date');
});

test('words and constants of a game are written as words, and names stay', () => {
  const written = (...values: string[]) =>
    formatValue(values[0], { key: 'kind', values: values.map((value) => ({ value, count: 1 })) }, EN);
  assert.is(written('normal', 'mana prism exchange'), 'Normal');
  assert.is(written('atk', 'magic_atk'), 'ATK');
  assert.is(written('CLASSIC_DOUBLE', 'NORMAL'), 'Classic double');
  assert.is(written('ZAYIN', 'TETH'), 'ZAYIN');
  assert.is(written('yuukiss', 'Last Note.'), 'yuukiss');
});

test('a unit that depends on the stat makes small numbers shares', () => {
  const substat: Known = { key: 'substat', unit: 'fraction, or points for Mastery' };
  assert.equal(
    [0.288, 115.2].map((value) => formatValue(value, substat, EN)),
    ['28.8%', '115.2'],
  );
});

test('a record without a name has that of what it names, or its id in words', () => {
  assert.is(nameOfRecord({ id: 'skin#1', character_name: 'Texas' }), 'Texas');
  assert.is(nameOfRecord({ id: '1-2', attacker_name: 'Saber', defender_name: 'Archer' }), '1-2');
  assert.is(nameOfRecord({ id: 'saint_quartz_4' }), 'Saint quartz 4');
});

test('a factor is written as one', () => {
  assert.is(formatValue(1.5, { key: 'slash', unit: 'factor' }, EN), '×1.5');
});

test('codes, booleans, lists, objects and what is absent', () => {
  assert.is(formatValue('PIONEER', known('class'), EN), 'Vanguard');
  assert.is(formatValue(['PIONEER', 'X'], known('class'), { locale: 'ja', lang: 'ja' }), '先鋒, X');
  assert.is(formatValue(true, known('x'), EN), 'Yes');
  assert.is(formatValue({ id: '1', name: 'Mora', count: 20000 }, known('x'), EN), 'Mora × 20,000');
  for (const value of [null, undefined, []]) assert.is(formatValue(value, known('x'), EN), '–');
});

test('what programs write with underscores is read as words, except ids', () => {
  assert.is(formatValue('main_skill_1', { key: 'skills.slot' }, EN), 'Main skill 1');
  assert.is(formatValue('main_skill_1', { key: 'skills.id' }, EN), 'main_skill_1');
  assert.is(formatValue('card_02-ido', { key: 'skills.slot' }, EN), 'card_02-ido');
});

test('changes in words, with how much a number changed', () => {
  assert.equal(describeChange({ path: '/stats/atk', from: 120, to: 110 }, ATTRIBUTES, EN), {
    label: 'Stats · ATK',
    from: '120',
    to: '110',
    change: '-8.3%',
  });
  assert.equal(describeChange({ path: '/skills/0/na~1me', to: 'Cut' }, ATTRIBUTES, EN), {
    label: 'Skills 1 · Na/me',
    from: undefined,
    to: 'Cut',
    change: undefined,
  });
  assert.is(formatChange(10, 15, 'en'), '+50%');
  assert.is(formatChange(0, 15, 'en'), undefined);
  assert.is(formatChange('a', 15, 'en'), undefined);
});

test('ids that changes name are names for people, where these are known', () => {
  const attributes = new Map<string, Known>([
    ['ranks.equipment', { key: 'ranks.equipment', ref: 'equipment' }],
  ]);
  const change = { path: '/ranks/23/equipment', from: ['e1', 'e2'], to: ['e1', 'e3'] };
  assert.equal(
    [...referencesIn([change, { path: '/stats/atk', to: 1 }], attributes)],
    [['equipment', ['e1', 'e2', 'e3']]],
  );
  const names = new Map([
    ['equipment/e1', 'Bow'],
    ['equipment/e2', 'Ring'],
  ]);
  const { from, to } = describeChange(change, attributes, { ...EN, names });
  assert.equal([from, to], ['Bow, Ring', 'Bow, e3']);
});

test.run();
