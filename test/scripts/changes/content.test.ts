import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findTextFault, isShownName, withoutLanguage } from '../../../scripts/changes/texts.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, mappingExample, table, testFindings, testRows, twoBuilds } from '../check/cases.ts';

const test = suite('what a build says');

const FAULTS: readonly [text: string, fault: string | undefined][] = [
  ['Château É Ñandú', undefined],
  ['Cloud ☁ and 👍', undefined],
  ['Salt & Pepper, 100 %', undefined],
  ['THRM-EX 2077', undefined],
  ['I Present the Elixir <Lie>', undefined],
  ['ChÃ¢teau', 'mojibake'],
  ['ã‚¢ãƒ³', 'mojibake'],
  ['caf\ufffd', 'replacement'],
  ['half \ud83d', 'replacement'],
  ['a\u0000b', 'control'],
  ['a\u0085b', 'control'],
  ['a\ue000b', 'control'],
  ['Salt &amp; Pepper', 'entity'],
  ['caf&eacute;', 'entity'],
  ['undefined', 'unresolved'],
  ['a [object Object]', 'unresolved'],
  ['Avatar_Miyabi_Name', 'unresolved'],
  ['2178816269', 'unresolved'],
  ['deadbeef01', 'unresolved'],
  ['Identity_11300 Yi Sang', 'unresolved'],
  ['{NICKNAME}', 'unresolved'],
  ['+{s:bonus} Arrow', 'unresolved'],
  ['{0} of Fire', 'unresolved'],
  ['100{NON_BREAK_SPACE}%', 'unresolved'],
  ['{M#he}{F#she}', 'unresolved'],
  ['#REF!', 'unresolved'],
  ['\\u80e1', 'unresolved'],
  ['TBD', 'unresolved'],
  ['$UNRELEASED', 'unresolved'],
  ['[] Ann', 'unresolved'],
  ['Test Unit 3 Ann', 'unresolved'],
  ['#1 Fan', undefined],
  ['A$AP', undefined],
  ['<c4>BIBI</c>', 'markup'],
  ['[color=#ff0000]Ann[/color]', 'markup'],
  ['[Burn] Blade', undefined],
  ['<#FF00FF>Ann</color>', 'markup'],
  ['Bob ', 'spaces'],
  ['a\u202eb', 'spaces'],
  [' ', 'blank'],
  ['\u3000', 'blank'],
  ['\u200b', 'blank'],
];
for (const [text, fault] of FAULTS)
  test(`the name ${JSON.stringify(text)} has ${fault ?? 'no fault'}`, () => {
    assert.is(findTextFault(text, true), fault);
  });

test('texts that are no names may be keys, and have markup', () => {
  for (const text of ['Avatar_Miyabi_Name', '<b>Strong</b> hit', '{0} damage', ' '])
    assert.is(findTextFault(text, false), undefined);
  for (const text of ['<#ba.burning>Burning', 'Burning</>', 'a</color>'])
    assert.is(findTextFault(text, false), 'markup');
});

test('the name of an attribute says whether its texts are shown, and in which language they are', () => {
  const shown = [
    'name',
    'name_ja',
    'title',
    'short_name',
    'skill_title_en',
    'asset_name',
    'description',
    'named',
  ];
  assert.equal(shown.filter(isShownName), ['name', 'name_ja', 'title', 'short_name', 'skill_title_en']);
  const keys = ['name_ja', 'a.name_zh_tw', 'name_ja_latn', 'unit_id', 'name_id', 'name_xx', 'ja'];
  assert.equal(keys.map(withoutLanguage), [
    'name',
    'a.name',
    'name_ja_latn',
    'unit_id',
    'name',
    'name_xx',
    'ja',
  ]);
});

/** Twenty records of which the first ones have something, and the others something else. */
const few = (
  count: number,
  more: (index: number) => JsonObject,
  rest: (index: number) => JsonObject = () => ({}),
) => manyRecords(20, (index) => (index < count ? more(index) : rest(index)));

/** A list of twenty records, how many of them have the first of two contents, and what is found; # is 100 and the index of the record. */
testRows(
  test,
  table`
    a 1 {"name": "<b>Ann</b>"} {}                | text-damaged 1.0/a.json:2 /0         | 1 texts with markup in "name" of a: the text "<b>Ann</b>" of record "id-0"
    a 1 {"skills": [{"name": "<i>Hit</i>"}]} {}  | text-damaged 1.0/a.json:2 /0
    a 3 {"text": "A &amp; B"} {"text": "A"}      | text-damaged 1.0/a.json:2 /0
    a 1 {"name": "???"} {}                       |
    a 3 {"text": "Caf?s"} {"text": "A"}          | text-damaged 1.0/a.json:2 /0
    characters 1 {"name": "???"} {}              | text-damaged 1.0/characters.json:2 /0
    characters 1 {"title": "【ダミー1】A"} {}    | text-unresolved 1.0/characters.json:2 /0
    a 20 {"name": 2178816#} {}                   | text-unresolved 1.0/a.json:2 /0
    a 3 {"hp": 9999} {"hp": #}                   | numbers-implausible 1.0/a.json:1     | 9999 in 3 of 20 values of "hp" of a
    a 3 {"hp": -1} {"hp": #}                     | numbers-implausible 1.0/a.json:1
    a 3 {"order": 9999} {"order": #}             |
    characters 20 {"stats": {"atk": 0}} {}       | numbers-implausible 1.0/characters.json:1
    a 1 {"min_level": 9, "max_level": 2} {"min_level": 1, "max_level": 9} | numbers-implausible 1.0/a.json:1 | "min_level" above "max_level" in 1 records of a, first "id-0"
    a 2 {"start": "2026-02-01", "end": "2026-01-01"} {"start": "2026-01-01", "end": "2026-02-01"} |
    a 3 {"start": "2026-02-01", "end": "2026-01-01"} {"start": "2026-01-01", "end": "2026-02-01"} | numbers-implausible 1.0/a.json:1
  `,
  (text) => {
    const [list = '', count = '', first = '', rest = ''] = text.split(/ (\d+) (\{.*\}) (?=\{[^[]*$)/);
    const content = (json: string) => (index: number) =>
      JSON.parse(json.replaceAll('#', String(100 + index)));
    return { [`1.0/${list}.json`]: few(Number(count), content(first), content(rest)) };
  },
);
testFindings(
  test,
  'two descriptions of many with entities',
  { '1.0/a.json': manyRecords(300, (index) => ({ text: index < 2 ? 'A &amp; B' : 'A' })) },
  [],
);

const key = (index: number) => `SpMax_base${index}`;
testFindings(
  test,
  'what upstream lacks is one fault in one language and in all, and is reported once',
  twoBuilds(
    { a: few(3, (index) => ({ name: key(index) })) },
    { a: few(3, (index) => ({ name: key(index), name_ja: key(index), name_ko: key(index) })) },
  ),
  ['text-unresolved 1.0/a.json:2 /0'],
);
testFindings(
  test,
  'what far more records lack is reported again',
  twoBuilds(
    { a: few(3, (index) => ({ title: key(index) })) },
    { a: few(12, (index) => ({ title: key(index) })) },
  ),
  ['text-unresolved 1.0/a.json:2 /0', 'text-unresolved 1.1/a.json:2 /0'],
);
const withNew = (list: string) =>
  twoBuilds(
    { [list]: manyRecords(20) },
    { [list]: manyRecords(22, (index) => (index < 20 ? {} : { name: key(index) })) },
  );
testFindings(test, 'new records of a dataset may get their texts later', withNew('a'), []);
testFindings(test, 'new characters have names', withNew('characters'), [
  'text-unresolved 1.1/characters.json:82 /20',
]);

test('what a game may do itself only warns in few records, except in names of characters', async () => {
  for (const [list, name, count, check, severity] of [
    ['a', '<b>Ann</b>', 1, 'text-damaged', 'error'],
    ['a', 'TBD', 1, 'text-unresolved', 'warning'],
    ['a', 'TBD', 2, 'text-unresolved', 'error'],
    ['characters', 'TBD', 1, 'text-unresolved', 'error'],
  ] as const) {
    const records = few(count, () => ({ name }));
    const { findings } = await compileFiles(gameFiles({ [`1.0/${list}.json`]: records }));
    assert.equal(
      findings.map((finding) => [finding.check, finding.severity]),
      [[check, severity]],
    );
  }
});

const ROW = "{'id': id, 'stats': {'atk': attack}, 'guild': $get($tables.guilds, guild).title}";
const mapped = (units: JsonObject[], guilds: JsonObject[] = [{ id: 'north', title: 'North' }]): Files =>
  mappingExample({ from: 'units', entry: ROW }, { units, guilds }) as Files;

testFindings(
  test,
  'an attribute that a mapping names and no record has is reported, without what is inside it',
  mapped(manyRecords(3, () => ({ atk: 1, guild: 'north' }))),
  ['attribute-unserved game.json:16 /datasets/items/entry'],
  /^no value for "stats" in all 3 records of items$/,
);
testFindings(
  test,
  'what a mapping names is only a fault if the newest build lacks it too',
  {
    ...mapped(manyRecords(3, () => ({ guild: 'north' }))),
    '1.1/build.json': { released_at: '2026-01-02' },
    '1.1/raw/units.json': manyRecords(3, () => ({ attack: 1, guild: 'north' })),
  },
  [],
);

test('a look-up that finds none of five new records is an error with the remedy', async () => {
  for (const [count, severity] of [
    [4, 'warning'],
    [5, 'error'],
  ] as const) {
    const units = manyRecords(count, () => ({ attack: 1, guild: 'nord' }));
    const { findings } = await compileFiles(gameFiles(mapped(units)));
    assert.equal(
      findings.map((finding) => [finding.check, finding.severity]),
      [['attribute-unserved', severity]],
    );
    if (severity === 'error') assert.match(findings[0]?.fix ?? '', /compare the keys of both tables/);
  }
});

/** The definition of an attribute in the dictionary, with " = " before its value, and what is found. */
const DICTIONARY = table`
  "expected": {"min": 1, "max": 5} = 5                          |
  "expected": {"min": 1, "max": 5} = 6                          | 6 in
  "values": ["Fire", "Ice"] = "Wind"                            | "Wind" in
  "kind": "date" = "2026-01-01T10:00:00Z"                       |
  "kind": "date" = "1.1.2026"                                   | "1.1.2026" in
  "kind": "color" = "red"                                       | "red" in
  "ref": "characters" = "nobody"                                | "nobody" in
  "kind": "percentage", "unit": "%" = 5                         |
  "kind": "percentage", "unit": "%" = 0.05                      | at most 0.05 in the unit "%" in
  "kind": "percentage" = 5                                      | at most 5 in the unit null in
  "kind": "image" = "https://images.example/a.png"              |
  "kind": "image" = "https://other.example/a.png"               | "https://other.example/a.png" in
`;
const IMAGES = { hosts: ['images.example'], credit: 'Example', terms: 'https://example.org/terms' };
for (const [text = '', found] of DICTIONARY)
  test(`the dictionary and ${text}: ${found || 'no finding'}`, async () => {
    const [definition, value = ''] = text.split(' = ');
    const description = 'What it is.';
    const attribute = { description, ...JSON.parse(`{${definition}}`) };
    const attributes = { '*': { '*': { description }, '*.*': { description } }, a: { attribute } };
    const { findings } = await compileFiles(
      gameFiles({
        'game.json': { title: 'Game', attributes, images: IMAGES },
        '1.0/a.json': manyRecords(3, () => ({ attribute: JSON.parse(value) })),
      }),
    );
    assert.equal(
      findings.map((finding) => `${finding.check} ${finding.found}`),
      found ? [`attribute-unexpected ${found} "attribute" of a`] : [],
    );
  });

test('references to nothing in five places are an error, if none of the build before led to nothing', async () => {
  const description = 'What it is.';
  const guild = { description, ref: 'guilds' };
  for (const [known, severity] of [
    ['north', 'error'],
    ['nowhere', 'warning'],
  ] as const) {
    const builds = twoBuilds(
      { guilds: [{ id: 'north' }], a: manyRecords(20, (at) => ({ guild: at === 0 ? known : 'north' })) },
      { guilds: [{ id: 'north' }], a: manyRecords(28, (at) => ({ guild: at < 20 ? 'north' : `g${at}` })) },
    );
    const attributes = { '*': { '*': { description } }, a: { guild } };
    const { findings } = await compileFiles(
      gameFiles({ ...builds, 'game.json': { title: 'Game', attributes } }),
    );
    assert.equal(
      findings
        .map(({ check, build, severity: is }) => [check, build, is])
        .filter(([, build]) => build !== '1.0'),
      [['attribute-unexpected', '1.1', severity]],
    );
  }
});

test.run();
