import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findTextFault, isShownName, isWrittenIn, languageOf } from '../../../scripts/changes/texts.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, mappingExample, testFindings, twoBuilds } from '../check/cases.ts';

const test = suite('what a build says');

const FAULTS: readonly [text: string, fault: string | undefined][] = [
  ['Château É Ñandú', undefined],
  ['魔神セイバー', undefined],
  ['Cloud ☁ and 👍', undefined],
  ['Salt & Pepper, 100 %', undefined],
  ['THRM-EX 2077', undefined],
  ['I Present the Elixir <Lie>', undefined],
  ['4*Town', undefined],
  ['ChÃ¢teau', 'mojibake'],
  ['Ð¡ÐµÑ€Ð´Ñ†Ðµ', 'mojibake'],
  ['ã‚¢ãƒ³', 'mojibake'],
  ['caf\ufffd', 'replacement'],
  ['half \ud83d', 'replacement'],
  ['a\u0000b', 'control'],
  ['a\u0085b', 'control'],
  ['a\uffffb', 'control'],
  ['Salt &amp; Pepper', 'entity'],
  ['GALE FORCE&#33;', 'entity'],
  ['caf&eacute;', 'entity'],
  ['undefined', 'unresolved'],
  ['a [object Object]', 'unresolved'],
  ['Avatar_Miyabi_Name', 'unresolved'],
  ['skill.fire.name', 'unresolved'],
  ['2178816269', 'unresolved'],
  ['deadbeef01', 'unresolved'],
  ['{NICKNAME}', 'unresolved'],
  ['+{s:bonus} Arrow', 'unresolved'],
  ['{0} of Fire', 'unresolved'],
  ['100{NON_BREAK_SPACE}%', 'unresolved'],
  ['{M#he}{F#she}', 'unresolved'],
  ['Level %s', 'unresolved'],
  ['#REF!', 'unresolved'],
  ['\\u80e1', 'unresolved'],
  ['TBD', 'unresolved'],
  ['Coming Soon', 'unresolved'],
  ['#1[i]% Blade', 'unresolved'],
  ['$UNRELEASED', 'unresolved'],
  ['#1 Fan', undefined],
  ['A$AP', undefined],
  ['<c4>BIBI</c>', 'markup'],
  ['<color=#fff>Ann</color>', 'markup'],
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
  const codes = ['name_ja', 'name_zh_tw', 'name_ja_latn', 'unit_id', 'name_id', 'name_xx', 'ja'].map(
    (name) => languageOf(name)?.code,
  );
  assert.equal(codes, ['ja', 'zh_tw', undefined, undefined, 'id', undefined, undefined]);
});

test('a text is written in a script; without letters it has none', () => {
  const japanese = ['kana', 'han'] as const;
  assert.is(isWrittenIn('星見雅', japanese), true);
  assert.is(isWrittenIn('W エンジン', japanese), true);
  assert.is(isWrittenIn('Engine', japanese), false);
  assert.is(isWrittenIn('Engine アン', ['latin']), false);
  assert.is(isWrittenIn('4 %', japanese), undefined);
});

/** Twenty records of which the first ones have something. */
const few = (
  count: number,
  more: (index: number) => JsonObject,
  rest: (index: number) => JsonObject = () => ({}),
) => manyRecords(20, (index) => (index < count ? more(index) : rest(index)));
const limits = (least: Json, most: Json) => ({ min_level: least, max_level: most });
const event = (start: string, end: string) => ({ start, end });

/** What the records of a first build have, and what is found. */
const CASES: readonly [what: string, files: Record<string, Json>, places: string[], found?: RegExp][] = [
  [
    'one name with markup',
    { a: few(1, () => ({ name: '<b>Ann</b>' })) },
    ['text-damaged 1.0/a.json:2 /0'],
    /^1 texts with markup in "name" of a: the text "<b>Ann<\/b>" of record "id-0"$/,
  ],
  [
    'one name with markup inside a list',
    { a: few(1, () => ({ skills: [{ name: '<i>Hit</i>' }] })) },
    ['text-damaged 1.0/a.json:2 /0'],
  ],
  [
    'two descriptions of many with entities',
    { a: manyRecords(300, (index) => ({ text: index < 2 ? 'A &amp; B' : 'A' })) },
    [],
  ],
  [
    'three of a few descriptions with entities',
    {
      a: few(
        3,
        () => ({ text: 'A &amp; B' }),
        () => ({ text: 'A' }),
      ),
    },
    ['text-damaged 1.0/a.json:2 /0'],
  ],
  [
    'a name that is a number, as the hash of a text',
    { a: few(20, (index) => ({ name: 2178816269 + index * 7919 })) },
    ['text-unresolved 1.0/a.json:2 /0'],
  ],
  [
    'names of models in Latin letters',
    { characters: few(20, (index) => ({ name: `M${1911 + index}`, name_ja: `M${1911 + index}` })) },
    [],
  ],
  [
    'half of the names in Latin letters',
    {
      a: few(
        10,
        () => ({ name_ja: 'Robot' }),
        () => ({ name_ja: '星見雅' }),
      ),
    },
    ['language-script 1.0/a.json:2 /0'],
  ],
  [
    'marks for none',
    {
      a: few(
        3,
        () => ({ hp: 9999 }),
        (index) => ({ hp: 100 + index }),
      ),
    },
    ['numbers-implausible 1.0/a.json:1'],
    /^9999 in 3 of 20 values of "hp" of a$/,
  ],
  [
    '-1 for none',
    {
      a: few(
        3,
        () => ({ hp: -1 }),
        (index) => ({ hp: 100 + index }),
      ),
    },
    ['numbers-implausible 1.0/a.json:1'],
  ],
  [
    'ids and times that are 9999',
    {
      a: few(
        3,
        () => ({ order: 9999 }),
        (index) => ({ order: index }),
      ),
    },
    [],
  ],
  [
    'a stat of zero for all',
    { characters: few(20, () => ({ stats: { atk: 0 } })) },
    ['numbers-implausible 1.0/characters.json:1'],
  ],
  [
    'a minimum above its maximum',
    {
      a: few(
        1,
        () => limits(9, 2),
        () => limits(1, 9),
      ),
    },
    ['numbers-implausible 1.0/a.json:1'],
    /^"min_level" above "max_level" in 1 records of a, first "id-0"$/,
  ],
  [
    'two starts after their ends',
    {
      a: few(
        2,
        () => event('2026-02-01', '2026-01-01'),
        () => event('2026-01-01', '2026-02-01'),
      ),
    },
    [],
  ],
  [
    'three starts after their ends',
    {
      a: few(
        3,
        () => event('2026-02-01', '2026-01-01'),
        () => event('2026-01-01', '2026-02-01'),
      ),
    },
    ['numbers-implausible 1.0/a.json:1'],
  ],
];
for (const [what, lists, places, found] of CASES)
  testFindings(
    test,
    `${what}: ${places.join(', ') || 'no finding'}`,
    Object.fromEntries(Object.entries(lists).map(([list, records]) => [`1.0/${list}.json`, records])),
    places,
    found,
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
  for (const [list, count, severity] of [
    ['a', 1, 'warning'],
    ['a', 2, 'error'],
    ['characters', 1, 'error'],
  ] as const) {
    const records = few(count, () => ({ name: '<b>Ann</b>' }));
    const { findings } = await compileFiles(gameFiles({ [`1.0/${list}.json`]: records }));
    assert.equal(
      findings.map((finding) => [finding.check, finding.severity]),
      [['text-damaged', severity]],
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
  'keys of which a table has none are an error, and those of which it has few a warning',
  mapped(manyRecords(6, () => ({ attack: 1, guild: 'North' }))),
  ['join-missed game.json:16 /datasets/items/entry'],
  /^nothing in \$tables\.guilds for 6 keys of items, which is all of them: North$/,
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

const described = { description: 'What it is.' };
/** A dictionary of `a`, in which `attribute` is defined like this. */
const dictionary = (definition: JsonObject, value: Json, more: JsonObject = {}): Files => ({
  'game.json': {
    title: 'Game',
    attributes: {
      '*': { '*': described, '*.*': described },
      a: { attribute: { ...described, ...definition } },
    },
    ...more,
  } as unknown as Json,
  '1.0/a.json': manyRecords(3, () => ({ attribute: value })),
});
const IMAGES = {
  images: { hosts: ['images.example'], credit: 'Example', terms: 'https://example.org/terms' },
};
const DICTIONARY: readonly [what: string, files: Files, found: string | undefined][] = [
  ['a number in its range', dictionary({ expected: { min: 1, max: 5 } }, 5), undefined],
  ['a number out of its range', dictionary({ expected: { min: 1, max: 5 } }, 6), '6 in "attribute" of a'],
  [
    'a value that is not listed',
    dictionary({ values: ['Fire', 'Ice'] }, 'Wind'),
    '"Wind" in "attribute" of a',
  ],
  ['a date', dictionary({ kind: 'date' }, '2026-01-01T10:00:00Z'), undefined],
  ['no date', dictionary({ kind: 'date' }, '1.1.2026'), '"1.1.2026" in "attribute" of a'],
  ['no color', dictionary({ kind: 'color' }, 'red'), '"red" in "attribute" of a'],
  [
    'an id of another collection',
    dictionary({ ref: 'characters' }, 'nobody'),
    '"nobody" in "attribute" of a',
  ],
  ['a percentage in hundredths', dictionary({ kind: 'percentage', unit: '%' }, 5), undefined],
  [
    'a percentage that is a fraction',
    dictionary({ kind: 'percentage', unit: '%' }, 0.05),
    'at most 0.05 in the unit "%" in "attribute" of a',
  ],
  [
    'a percentage without a unit',
    dictionary({ kind: 'percentage' }, 5),
    'at most 5 in the unit null in "attribute" of a',
  ],
  [
    'an image at a host of the game',
    dictionary({ kind: 'image' }, 'https://images.example/a.png', IMAGES),
    undefined,
  ],
  [
    'an image elsewhere',
    dictionary({ kind: 'image' }, 'https://other.example/a.png', IMAGES),
    '"https://other.example/a.png" in "attribute" of a',
  ],
];
for (const [what, files, expected] of DICTIONARY)
  test(`the dictionary and ${what}: ${expected ?? 'no finding'}`, async () => {
    const { findings } = await compileFiles(gameFiles(files));
    assert.equal(
      findings.map(({ check, found }) => `${check} ${found}`),
      expected === undefined ? [] : [`attribute-unexpected ${expected}`],
    );
  });

test.run();
