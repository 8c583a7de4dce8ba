import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../scripts/format/json.ts';
import {
  arrangeComparison,
  compareRecords,
  pickCompared,
} from '../../../../gateway/site/model/compare-rows.ts';
import type { Known } from '../../../../gateway/site/model/format-value.ts';
import { inReadingOrder } from '../../../../gateway/site/model/in-order.ts';
import { inLanguage } from '../../../../gateway/site/model/in-language.ts';
import { plotOfLevels, plotOfSeries } from '../../../../gateway/site/model/plot-data.ts';
import { viewRecord } from '../../../../gateway/site/model/record-view.ts';

const test = suite('records for people');

const READER = { locale: 'en-US', lang: '' };
const ATTRIBUTES = new Map<string, Known>(
  (
    [
      { key: 'name' },
      { key: 'element', label: 'Element' },
      { key: 'color', kind: 'color' },
      { key: 'icon', kind: 'image' },
      { key: 'weapon', label: 'Weapon', ref: 'weapons' },
      { key: 'stats', label: 'Stats', level: 'level 90' },
      { key: 'stats.atk', label: 'ATK' },
      { key: 'stats.cost', unit: 'DP' },
      { key: 'ascension', label: 'Ascension', description: 'What it `costs`' },
      { key: 'ascension.materials.id', ref: 'materials' },
      { key: 'levels', label: 'Stats by level' },
      { key: 'levels.atk', label: 'ATK' },
    ] as Known[]
  ).map((attribute) => [attribute.key, attribute]),
);
const LEVELS = [
  { level: 1, phase: 0, atk: 10, hp: 7 },
  { level: 20, phase: 0, atk: 15, hp: 7 },
  { level: 20, phase: 1, atk: 18, hp: 7 },
];
const RECORD = {
  id: 'ann',
  name: 'Ann',
  color: '#ff0000',
  element: 'fire',
  icon: 'javascript:alert(1)',
  weapon: 'w 1',
  stats: { atk: 10.5, cost: 3 },
  ascension: [{ phase: 1, materials: [{ id: 'm1', name: 'Mora', count: 2 }] }],
  levels: LEVELS,
  gone: null,
};

test('stats come first, with their level, and what is for programs last; materials and references are linked', () => {
  const sections = viewRecord(RECORD, { game: 'saga', attributes: ATTRIBUTES, reader: READER });
  assert.equal(
    sections.map(({ title, note, rows, tables }) => [title, note, rows.length, tables.length]),
    [
      ['Stats', 'At level 90.', 2, 0],
      ['Stats by level', undefined, 0, 1],
      ['Profile', undefined, 2, 0],
      ['Ascension', 'What it costs', 0, 1],
      ['For programs', undefined, 3, 0],
    ],
  );
  const [stats, byLevel, profile, costs, internal] = sections;
  assert.equal(
    stats?.rows.map(({ label, values }) => [label, values[0]?.text]),
    [
      ['ATK', '10.5'],
      ['Cost', '3 DP'],
    ],
  );
  const rowOf = (key: string) => profile?.rows.find((row) => row.key === key);
  const ofPrograms = (key: string) => internal?.rows.find((row) => row.key === key);
  assert.is(ofPrograms('color')?.color, '#ff0000');
  assert.equal(rowOf('weapon')?.values, [{ text: 'w 1', href: '/games/saga/weapons/w%201' }]);
  assert.equal(ofPrograms('icon')?.values, [{ text: 'Picture', href: undefined }]);
  const [ascension] = costs?.tables ?? [];
  const [levels] = byLevel?.tables ?? [];
  assert.equal(ascension?.rows, [
    [[{ text: '1', href: undefined }], [{ text: 'Mora × 2', href: '/games/saga/materials/m1' }]],
  ]);
  assert.is(ascension?.plot, undefined);
  assert.equal(levels?.plot?.xs, [1, 20, 20]);
});

test('skills come before what they cost, and say what they do', () => {
  const record = {
    skill_costs: [{ level: 2, raises: [{ id: 's2', count: 3 }] }],
    passive_skills: [{ id: 's1', name: 'Calm' }, { id: 's2' }],
    skills: [{ id: 's2' }, { id: 's9' }],
    bonuses: [{ sum: [{ name: 'ATK', value: 7.5 }] }],
  };
  const skills = new Map([
    ['s1', { name: 'Calm', effect: 'Heals.' }],
    ['s2', { name: 'Slash', effect: 'Hits.' }],
  ]);
  const readSkill = (text: 'name' | 'effect') => (collection: string, id: string) =>
    collection === 'skills' ? skills.get(id)?.[text] : undefined;
  const attributes = new Map<string, Known>(
    ['skills.id', 'skill_costs.raises.id'].map((key) => [key, { key, ref: 'skills' }]),
  );
  const context = { game: 'saga', attributes, reader: READER };
  const sections = viewRecord(record, {
    ...context,
    nameOf: readSkill('name'),
    effectOf: readSkill('effect'),
  });
  const shown = sections.map(({ title, tables: [table] }) => [
    title,
    table?.columns.map(({ label }) => label),
    table?.rows.map((row) => row.flat().map(({ text, href = '' }) => text + href)),
  ]);
  const address = '/games/saga/skills';
  assert.equal(shown, [
    [
      'Skills',
      ['Name', 'Effect'],
      [
        [`Slash${address}/s2`, 'Hits.'],
        ['s9', ''],
      ],
    ],
    [
      'Passive skills',
      ['Name', 'Effect'],
      [
        [`Calm${address}/s1`, 'Heals.'],
        [`Slash${address}/s2`, 'Hits.'],
      ],
    ],
    ['Skill costs', ['Level', 'Raises'], [['2', `Slash × 3${address}/s2`]]],
    ['Bonuses', ['Sum'], [['ATK 7.5']]],
  ]);
});

test('what only programs use is folded away, and nothing is said twice', () => {
  const attributes = new Map<string, Known>(
    (
      [
        { key: 'singer', label: 'Singer', ref: 'cast' },
        { key: 'singer_name', label: 'Singer' },
        { key: 'rarity', label: 'Rarity', unit: 'stars', values: [{ value: 4, label: '4-Star', count: 1 }] },
        { key: 'rank', label: 'Rarity' },
        { key: 'weapon.id', ref: 'weapons' },
      ] as Known[]
    ).map((attribute) => [attribute.key, attribute]),
  );
  const names: Record<string, string> = { ann: 'Ann', w1: 'Sword' };
  const record = {
    singer: 'ann',
    singer_name: 'Ann',
    rarity: 4,
    rank: '4-Star',
    deck: 'p_card-02-ido-1_059',
    stories: ['p_story-01-1', 'p_story-01-2'],
    slot: 'main_skill',
    weapon: { id: 'w1', name: 'Sword', skin: 'skin_w1-001' },
    talents: [{ text: 'Hits.', parameters: [1, 2], rarity: 3 }],
  };
  const context = { game: 'saga', attributes, reader: READER, nameOf: (_: string, id: string) => names[id] };
  const rowsOf = (title: string) =>
    viewRecord(record, context)
      .find((section) => section.title === title)
      ?.rows.map(({ label, values }) => [label, ...values.map(({ text, href = '' }) => text + href)]);
  assert.equal(rowsOf('Profile'), [
    ['Singer', 'Ann/games/saga/cast/ann'],
    ['Rarity', '4-Star'],
    ['Slot', 'Main skill'],
  ]);
  assert.equal(rowsOf('Weapon'), [['Name', 'Sword/games/saga/weapons/w1']]);
  assert.equal(rowsOf('For programs'), [
    ['Deck', 'p_card-02-ido-1_059'],
    ['Stories', 'p_story-01-1', 'p_story-01-2'],
    ['Weapon · Skin', 'skin_w1-001'],
  ]);
  const [talents] = viewRecord(record, context).flatMap(({ tables }) => tables);
  assert.equal(
    talents?.columns.map(({ label }) => label),
    ['Rarity', 'Text'],
  );
});

test('an id is shown where it tells the rows of a table apart', () => {
  const attributes = new Map([['patterns', { key: 'patterns' }]]);
  const columnsOf = (...patterns: JsonObject[]) =>
    viewRecord(
      { id: 'a', patterns },
      { game: 'saga', attributes, reader: READER },
    )[0]?.tables[0]?.columns.map(({ label }) => label);
  assert.equal(columnsOf({ id: '101', actions: ['hit'] }), ['Actions']);
  assert.equal(columnsOf({ id: '101', actions: ['hit'] }, { id: '102', actions: [] }), ['ID', 'Actions']);
});

test('a level is said as a sentence, and an id beside its name is for programs', () => {
  const stats: Known = { key: 'stats', level: 'without refinement' };
  const attributes = new Map([stats, { key: 'master_name' }].map((each) => [each.key, each]));
  const record = { id: 'a', master: '105801', master_name: 'Ann', stats: { hp: 1 } };
  const sections = viewRecord(record, { game: 'saga', attributes, reader: READER });
  assert.equal(
    sections.map(({ title, note, rows }) => [title, note, ...rows.map(({ label }) => label)]),
    [
      ['Stats', 'Without refinement.', 'HP'],
      ['Profile', undefined, 'Master name'],
      ['For programs', undefined, 'ID', 'Master'],
    ],
  );
});

test('pages show what readers look for first, the start before the end, and the least before the most', () => {
  const keys = [
    'id',
    'name',
    'end',
    'start',
    'stats',
    'stats.atk',
    'stats.hp',
    'stats.speed_max',
    'stats.speed_min',
    'zeal',
  ];
  assert.equal(
    inReadingOrder(keys.map((key) => ({ key }))).map(({ key }) => key),
    [
      'id',
      'name',
      'start',
      'end',
      'stats',
      'stats.hp',
      'stats.atk',
      'stats.speed_min',
      'stats.speed_max',
      'zeal',
    ],
  );
});

test('levels become lines; what does not change is no line', () => {
  const plot = plotOfLevels(LEVELS, 'levels', ATTRIBUTES);
  assert.equal(plot?.lines, [{ key: 'atk', label: 'ATK', unit: undefined, values: [10, 15, 18] }]);
  assert.is(plot?.title, 'Stats by level');
  assert.is(plotOfLevels(LEVELS.toReversed().slice(0, 2), 'levels', ATTRIBUTES), undefined);
  assert.is(plotOfLevels([{ level: 2 }, { level: 1 }, { level: 3 }], 'levels', ATTRIBUTES), undefined);
});

test('series become lines over builds', () => {
  const plot = plotOfSeries(
    {
      fields: ['stats.atk', 'stats.cost'],
      series: [
        { build: '1.0', released_at: '2026-01-01T00:00:00Z', values: [10, 3] },
        { build: '1.1', released_at: '2026-02-01T00:00:00Z', values: [null, 3] },
        { build: '1.2', released_at: '2026-03-01T00:00:00Z', values: [12, 3] },
      ],
    },
    ATTRIBUTES,
  );
  assert.equal(plot.lines, [
    { key: 'stats.atk', label: 'Stats · ATK', unit: undefined, values: [10, null, 12] },
  ]);
  assert.equal(plot.names, ['1.0', '1.1', '1.2']);
});

test('the largest stat is the best, and bars are shares of it', () => {
  const fields = compareRecords([
    { id: 'a', name: 'A', rarity: 5, stats: { atk: 10, hp: 5 }, tags: ['x'], skills: [{ id: 1 }] },
    { id: 'b', name: 'B', rarity: 4, stats: { atk: 20, hp: 5 } },
    { id: 'c', name: 'C', stats: { hp: 5 } },
  ]);
  const [stats, general] = arrangeComparison(fields, {
    attributes: ATTRIBUTES,
    reader: READER,
    main: [],
    hosts: [],
  });
  assert.is(stats?.title, 'Stats');
  assert.equal(stats?.rows[0]?.cells, [
    { text: '10', picture: undefined, isBest: false, share: 0.5 },
    { text: '20', picture: undefined, isBest: true, share: 1 },
    { text: '–', picture: undefined, isBest: false, share: undefined },
  ]);
  assert.equal(
    stats?.rows.map(({ key, differs }) => [key, differs]),
    [
      ['stats.atk', true],
      ['stats.hp', false],
    ],
  );
  assert.equal(
    general?.rows.map(({ key }) => key),
    ['rarity', 'tags'],
  );
  const picked = pickCompared(fields, [2, 0]).find(({ key }) => key === 'stats.atk');
  assert.equal(picked, { key: 'stats.atk', values: [null, 10], differs: true, best: [1] });
});

test('a sample is shown in the language that a reader chose', () => {
  const record = { id: 'a', name: 'Ann', name_ja: 'アン' };
  assert.is(inLanguage(record, 'ja').name, 'アン');
  assert.is(inLanguage(record, 'ko'), record);
  assert.is(inLanguage(record, ''), record);
});

test.run();
