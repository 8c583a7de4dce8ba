import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findGroups } from '../../../../scripts/upstream/dump/find-groups.ts';
import { findTables } from '../../../../scripts/upstream/dump/find-tables.ts';
import type { Json } from '../../../../scripts/format/dist-format.ts';
import { rankNumbers } from '../../../../scripts/upstream/propose/find-rarity.ts';
import { rankRosters } from '../../../../scripts/upstream/propose/choose-roster.ts';
import { proposeDraft, renderDraft } from '../../../../scripts/upstream/propose/propose-definition.ts';
import { renderDefinition } from '../../../../scripts/upstream/propose/render-definition.ts';
import type { RawGameDefinition } from '../../../../scripts/read/game/definition.ts';
import { loadGameSchema } from '../../../../scripts/read/game/game-schema.ts';
import { parseJson } from '../../../../scripts/read/formats/json.ts';
import { checkSchema, compileSchema } from '../../../../scripts/schemas/schema.ts';
import { compileFiles, type Files, inFolder } from '../../../support/fixtures.ts';
import { fc } from '../../../support/random.ts';

const test = suite('a proposed definition');
const validate = compileSchema(await loadGameSchema());

/** The text of the definition that is proposed for files. */
function propose(files: Record<string, Json>): string {
  const tables = findTables({ values: new Map(Object.entries(files)), columns: new Map() });
  return renderDefinition(
    renderDraft(proposeDraft('Game', tables, rankRosters(tables)[0])),
    ['Head'],
    ['Foot'],
  );
}

function parse(text: string): RawGameDefinition {
  const parsed = parseJson(text, 'game.json');
  assert.ok('value' in parsed, text);
  assert.equal(
    [parsed.findings, checkSchema(validate, parsed.value, 'definition', { file: 'x', pointer: '' })],
    [[], []],
  );
  return parsed.value as unknown as RawGameDefinition;
}

function entryOf(files: Record<string, Json>): string[] {
  return (parse(propose(files)).roster?.entry ?? []) as string[];
}

const UNITS = [
  {
    unit_id: 1001,
    unit_name: 'Ann',
    rarity: 0,
    element: 'Fire',
    maxHp: 10,
    'base-atk': 3,
    hp_growth: 1,
    text: null,
    sort: 1,
  },
  {
    unit_id: 1002,
    unit_name: 'Bob',
    rarity: 2,
    element: 'Fire',
    maxHp: 12,
    'base-atk': 4,
    hp_growth: 1,
    text: 'x',
    sort: 2,
  },
  {
    unit_id: 1003,
    unit_name: '',
    rarity: 2,
    element: 'Ice',
    maxHp: 12,
    'base-atk': 4,
    hp_growth: 1,
    sort: 3,
  },
  {
    unit_id: 1004,
    unit_name: 'Dan',
    rarity: 2,
    element: 'Ice',
    maxHp: 12,
    'base-atk': 4,
    hp_growth: 1,
    sort: 3,
  },
  {
    unit_id: 1005,
    unit_name: 'Eve',
    rarity: 2,
    element: 'Ice',
    maxHp: 12,
    'base-atk': 4,
    hp_growth: 1,
    sort: 3,
  },
];
const DUMP = {
  'raw/unit_data.json': UNITS,
  'raw/unit_rank.json': UNITS.flatMap(({ unit_id }) => [1, 2].map((rank) => ({ unit_id, rank, atk: rank }))),
  'raw/unit_profile.json': UNITS.map(({ unit_id }) => ({ unit_id, age: 20 })),
  'raw/curves.json': Object.fromEntries(UNITS.map(({ unit_id }) => [unit_id, { hp: { grow: 1 } }])),
  'raw/items.json': { items: { i1: { name: 'Sword', in: 1, sort: 2 }, i2: { name: 'Bow', in: 2, sort: 1 } } },
  'raw/log.json': [{ at: 1 }, { at: 1 }],
};

test('proposes a roster with comments on joins, and a dataset for each other table with ids', () => {
  const text = propose(DUMP);
  const { roster, datasets, tables } = parse(text);
  assert.equal(roster, {
    from: 'unit_data',
    where: '$boolean(unit_name)',
    entry: [
      '{',
      "  'id': $string(unit_id),",
      "  'name': unit_name,",
      "  'rarity': rarity,",
      "  'element': element,",
      "  'stats': { 'max_hp': maxHp, 'base_atk': `base-atk` }",
      '}',
    ],
  });
  assert.equal(datasets, {
    unit_profile: { from: 'unit_profile', entry: "{ 'id': $string(unit_id), 'age': age }" },
    items_items: {
      from: 'items_items',
      entry: "{ 'id': $key, 'name': name, 'in': `in`, 'sort_text': sort }",
    },
  });
  assert.equal(tables?.items_items, { files: 'raw/items.json', at: '/items' });
  for (const comment of [
    'rarity starts at 0. If 0 means one star, use $fromZero(rarity).',
    '- unit_rank: declare it with "key": ["unit_id", "rank"], then $get($tables.unit_rank, $string(unit_id) & \':2\'); stats: atk',
    '- unit_profile: declare it with "key": "unit_id", then $get($tables.unit_profile, $string(unit_id))',
    '    // a list of 5 records: unit_id, unit_name, rarity,',
  ]) {
    assert.ok(text.includes(comment), comment);
  }
});

test('the proposed definition compiles with its dump', async () => {
  const build: Files = {
    ...DUMP,
    'build.json': { released_at: '2026-01-01' },
    'pull_planner.json': { currency: 'Gem' },
  };
  const { findings, builds } = await compileFiles({ 'game.json': propose(DUMP), ...inFolder('1', build) });
  // The definition declares every table of the dump: the maintainer chooses which to read.
  assert.equal(
    findings.map(({ check }) => check),
    ['table-unread'],
  );
  assert.equal(builds[0]?.roster[0], {
    id: '1001',
    name: 'Ann',
    element: 'Fire',
    rarity: 0,
    stats: { base_atk: 3, max_hp: 10 },
  });
  assert.equal(Object.keys(builds[0]?.datasets ?? {}), ['items_items', 'pull_planner', 'unit_profile']);
});

test('names that are keys of texts are looked up, in English if there are several languages', () => {
  const avatars = { '1011': { Name: 'N1' }, '1012': { Name: 'N2' } };
  const texts = { 'zh-tw': { N1: '一', N2: '二' }, 'en-us': { N1: 'One', N2: 'Two' } };
  const { roster, language } = parse(propose({ 'avatars.json': avatars, 'texts.json': texts }));
  assert.equal(((roster?.entry ?? []) as string[]).slice(2, 4), [
    "  'name': $text($tables.texts.`en-us`, Name, Name),",
    "  'name_zh_tw': $text($tables.texts.`zh-tw`, Name)",
  ]);
  assert.is(language, 'en');
});

test('names by hash are looked up in a file of texts for each language', () => {
  const hashes = [7001, 7002];
  const entry = entryOf({
    'AvatarConfig.json': hashes.map((hash) => ({ id: hash, nameTextMapHash: hash, rank: 'B' })),
    'TextMapEN.json': { '7001': 'Ann', '7002': 'Bob', '1': 'more' },
    'TextMapJP.json': { '7001': 'アン', '7002': 'ボブ', '1': 'more' },
  });
  assert.equal(entry.slice(2, 5), [
    "  'name': $text($tables.TextMapEN, $string(nameTextMapHash), $string(nameTextMapHash)),",
    "  'name_ja': $text($tables.TextMapJP, $string(nameTextMapHash)),",
    `  'rarity': $get({"B":1}, rank)`,
  ]);
});

test('a name in each language comes from the folder of each language or region', () => {
  const rows = (suffix: string) => ['a', 'b'].map((id) => ({ id, name: id + suffix }));
  const entry = entryOf({
    'kr/cards.json': rows('-ko'),
    'jp/cards.json': rows('-ja'),
    'en/cards.json': rows(''),
    'en/items.json': rows('-item'),
  });
  assert.equal(entry.slice(2, 5), [
    "  'name': name,",
    "  'name_ja': $get($tables.jp_cards, id).name,",
    "  'name_ko': $get($tables.kr_cards, id).name",
  ]);
});

/** Values of a rarity, and the numbers that are proposed; undefined for none. */
const RANKS: [values: string[], numbers: number[] | undefined][] = [
  [
    ['rarity_4', 'rarity_2'],
    [2, 4],
  ],
  [
    ['TIER_6', 'TIER_1'],
    [1, 6],
  ],
  [
    ['SSR', 'R', 'SR'],
    [1, 2, 3],
  ],
  [
    ['A', 'S', 'B'],
    [2, 1, 3],
  ],
  [
    ['Epic', 'Legendary', 'Rare'],
    [2, 3, 1],
  ],
  [['one', 'two'], undefined],
];
for (const [values, numbers] of RANKS) {
  test(`the rarities ${values.join(', ')} become numbers`, () => {
    const found = rankNumbers({ kind: 'text', values });
    assert.equal(
      found &&
        Object.entries(found)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, number]) => number),
      numbers && [...values].sort().map((value) => found?.[value]),
    );
    if (numbers) assert.equal(Object.values(found ?? {}).sort(), [...numbers].sort());
  });
}

test('stats are those of the last level that a row has inside, or of a joined table', () => {
  const levels = [1, 2].map((level) => ({ level, hp: level * 10, atk: level }));
  const inside = entryOf({ 'units.json': ['a', 'b'].map((id) => ({ id, name: id, levels })) });
  assert.ok(inside.includes("  'stats': { 'hp': levels[-1].hp, 'atk': levels[-1].atk }"), inside.join('\n'));
  const phases = { '0': { hp: 1, atk: 2 }, '10': { hp: 5, atk: 6 }, '9': { hp: 3, atk: 4 } };
  const ids = Array.from({ length: 12 }, (_, index) => `unit_${index}`);
  const joined = entryOf({
    'units.json': Object.fromEntries(ids.map((id) => [id, { name: id }])),
    'growth.json': { rows: Object.fromEntries(ids.map((id) => [id, phases])) },
  });
  assert.equal(
    [joined[1], joined.at(-3)],
    [
      '  $joined := $get($tables.growth_rows, $key);',
      "    'stats': { 'hp': $joined.`10`.hp, 'atk': $joined.`10`.atk }",
    ],
  );
});

test('stats of a table with a row for each level are those of the highest level that most have', () => {
  const ids = ['u1', 'u2', 'u3'];
  const rows = ids.flatMap((unitId) =>
    [1, 2, 3].map((level) => ({ unitId, level, hp: level * 10, atk: level })),
  );
  const text = propose({
    'units.json': ids.map((unitId) => ({ unitId, name: unitId })),
    'growth.json': [...rows, { unitId: 'u1', level: 4, hp: 99, atk: 9 }],
  });
  assert.match(text, "$get($tables.growth, $string(unitId) & ':3')");
  assert.match(text, 'these are of level 3, the highest that most have');
});

test('names with markup are stripped of it, in every language', () => {
  const texts = (suffix: string) => ({ t1: `<b>Ann</b>${suffix}`, t2: `<color=#fc0>Bob</color>${suffix}` });
  const rows = ['t1', 't2'].map((nameKey, id) => ({ id, nameKey }));
  const stripped = entryOf({ 'units.json': rows, 'text_en.json': texts(''), 'text_ja.json': texts('-ja') });
  assert.equal(stripped.slice(2, 4), [
    "  'name': $strip($text($tables.text_en, nameKey, nameKey)),",
    "  'name_ja': $strip($text($tables.text_ja, nameKey))",
  ]);
  const wordings = propose({
    'units.json': [
      { id: 'a', name: '{M#Hero}{F#Heroine}' },
      { id: 'b', name: 'Bob' },
    ],
  });
  assert.match(wordings, "'name': $strip(name, 'M')");
  assert.match(wordings, 'Names have several wordings');
});

test('a rarity in words is kept as text, with a comment on how to map it', () => {
  const text = propose({
    'cards.json': [
      { id: 'a', name: 'Ann', rarity: 'blunt' },
      { id: 'b', name: 'Bob', rarity: 'keen' },
    ],
  });
  assert.ok(
    text.includes(
      `'rarity' must be a whole number, but here it is "blunt", "keen". Map each: $get({"blunt": 1, …}, rarity).`,
    ),
  );
  assert.ok(((parse(text).roster?.entry ?? []) as string[]).includes("  'rarity_text': rarity"));
});

test('blank values are left out of records', async () => {
  const dump = {
    'units.json': [
      { id: 'a', name: 'Ann', rarity: 5, hp: 1, base: { atk: 2 } },
      { id: 'b', name: 'Bob', rarity: null, hp: '', base: { atk: null } },
    ],
  };
  const build: Files = {
    ...dump,
    'build.json': { released_at: '2026-01-01' },
    'pull_planner.json': { a: 1 },
  };
  const { findings, builds } = await compileFiles({ 'game.json': propose(dump), ...inFolder('1', build) });
  assert.equal(findings, []);
  assert.equal(builds[0]?.roster[1], { id: 'b', name: 'Bob', stats: {} });
});

test('without a table of characters, no roster is proposed', () => {
  assert.is(parse(propose({ 'curves.json': [{ level: 1, hp: 2 }] })).roster, undefined);
});

const arbitraryName = fc.oneof(
  fc.constantFrom(
    'id',
    'name',
    'rarity',
    'hp',
    '__proto__',
    'constructor',
    'q',
    'in',
    'a.b',
    'x\ny',
    '\u2028',
    '`',
    'stats',
  ),
  fc.string({ maxLength: 6 }),
);
const arbitraryPlain = fc.oneof(fc.constantFrom(null, '', true), fc.integer(), fc.string({ maxLength: 5 }));
const arbitraryRow = fc.dictionary(
  arbitraryName,
  fc.oneof(arbitraryPlain, fc.array(arbitraryPlain, { maxLength: 2 })),
  { maxKeys: 5 },
);
const arbitraryTable = fc.oneof(
  fc.array(arbitraryRow, { maxLength: 5 }),
  fc.dictionary(arbitraryName, arbitraryRow, { maxKeys: 4 }),
);

test('for any dump, the proposed definition is valid and its expressions work for all rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('units', 'raw/x', 'raw/y-z'), arbitraryTable, { minKeys: 1 }),
      async (dump) => {
        const files = Object.fromEntries(
          Object.entries(dump).map(([file, table]) => [`${file}.json`, table as Json]),
        );
        const text = propose(JSON.parse(JSON.stringify(files)));
        parse(text);
        const build = {
          ...files,
          'build.json': { released_at: '2026-01-01' },
          'pull_planner.json': { currency: 'Gem' },
        };
        const { findings } = await compileFiles({ 'game.json': text, ...inFolder('1', build) });
        assert.equal(
          findings.filter(({ check }) =>
            [
              'definition',
              'expression-syntax',
              'expression-result',
              'mapping-tables',
              'dataset-keys',
              'attribute-names',
              'table-files',
            ].includes(check),
          ),
          [],
        );
      },
    ),
    { numRuns: 150 },
  );
});

/** Six rows, so that they are as many as characters of a game at least. */
const NAMES = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Fay'];

test('names are texts in lists of keys and texts, in the folder of each language', () => {
  const texts = (language: string) =>
    NAMES.map((name, at) => ({ Id: `Role_${at}_Name`, Content: `${name} ${language}` }));
  const entry = entryOf({
    'db/roleinfo.json': NAMES.map((_, at) => ({
      Id: 1000 + at,
      Name: `Role_${at}_Name`,
      QualityId: 4 + (at % 2),
    })),
    'db/skill.json': NAMES.map((_, at) => ({ Id: at, Name: `Skill_${at}` })),
    'text/en/Texts.json': texts('en'),
    'text/ja/Texts.json': texts('ja'),
  });
  assert.equal(entry.slice(2, 5), [
    "  'name': $get($tables.en_Texts, Name).Content,",
    "  'name_ja': $get($tables.ja_Texts, Name).Content,",
    "  'rarity': QualityId",
  ]);
});

test('names in an object or in columns of languages are those of these languages', () => {
  const cards = NAMES.map((name, at) => ({
    id: at,
    _lang: { name: { en: name, jp: `J${name}`, kr: `K${name}` } },
  }));
  const inObject = entryOf({ 'cards.json': cards });
  assert.equal(inObject.slice(2, 5), [
    "  'name': _lang.name.en,",
    "  'name_ja': _lang.name.jp,",
    "  'name_ko': _lang.name.kr",
  ]);
  const columns = NAMES.map((name, at) => ({ id: at, NameEn: name, NameJp: `J${name}` }));
  const inColumns = entryOf({ 'cards.json': columns });
  assert.equal(inColumns.slice(2, 4), ["  'name': NameEn,", "  'name_ja': NameJp"]);
});

test('a list whose rows are of many kinds is split by the member that tells them', () => {
  const rows = [...Array(24).keys()].map((at) => {
    const unit = { unitId: `U${at}`, stats: { baseAttack: at, baseDefense: 1, baseStamina: 2 } };
    const kinds: Json[] = [
      { pokemon: unit },
      { move: { power: at } },
      { item: { cost: at } },
      { badge: { rank: at } },
    ];
    return { templateId: `T${at}`, ...(kinds[at % 4] as object) };
  });
  const { roster, datasets } = parse(propose({ 'master.json': { templates: rows as Json } }));
  assert.equal([roster?.from, roster?.where], ['master_templates', '$exists(pokemon)']);
  assert.match(JSON.stringify(roster?.entry), "'name': pokemon.unitId,");
  assert.match(JSON.stringify(datasets), '"where":"$exists(move)"');
});

test('a column that is a list in some rows is one in all', async () => {
  const units = NAMES.map((name, at) => ({ id: at, name, tags: at === 0 ? 'new' : ['old', null, 'x'] }));
  const dump = { 'units.json': units as Json };
  assert.ok(entryOf(dump).includes("  'tags': [tags[$ != null and $ != '']]"));
  const build: Files = {
    ...dump,
    'build.json': { released_at: '2026-01-01' },
    'pull_planner.json': { currency: 'Gem' },
  };
  const { builds } = await compileFiles({ 'game.json': propose(dump), ...inFolder('1', build) });
  assert.equal(
    builds[0]?.roster.slice(0, 2).map(({ tags }) => tags),
    [['new'], ['old', 'x']],
  );
});

test('files of lists of one shape are one table, keyed by what is different in all rows', () => {
  const list = (start: number) => NAMES.map((name, at) => ({ id: `p${start + at}`, name, hp: 10, atk: at }));
  const files = { 'person/a.json': list(0), 'person/b.json': list(10), 'person/c.json': list(20) };
  const { tables, roster } = parse(propose(files));
  assert.equal(tables, { person: { files: 'person/*.json', key: 'id' } });
  assert.is(roster?.from, 'person');
  const numbered = parse(
    propose({ 'd/servants.1.json': list(0), 'd/servants.2.json': list(10), 'd/x.json': [1] }),
  );
  assert.equal(numbered.tables?.servants, { files: 'd/servants.*.json', key: 'id' });
});

test('an object of many lists of the same rows is one dataset with a record for each', async () => {
  const rows = (start: number) => [0, 1].map((at) => ({ name: `Item ${start + at}`, price: start + at }));
  const shops = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`Shop, ${at}`, rows(at)]));
  const boards = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [String(at), { [`${at}1`]: { cost: at }, [`${at}2`]: { cost: 2 } }]),
  );
  const units = NAMES.map((name, id) => ({ id, name, hp: 1, atk: 2 }));
  const dump = { 'shops.json': { ...shops, Empty: [] }, 'boards.json': boards, 'units.json': units };
  const { tables, datasets } = parse(propose(dump));
  assert.equal(tables, { shops: 'shops.json', boards: 'boards.json', units: 'units.json' });
  assert.equal(Object.keys(datasets ?? {}), ['shops', 'boards']);
  const build = { ...dump, 'build.json': { released_at: '2026-01-01' }, 'pull_planner.json': { a: 1 } };
  const { builds } = await compileFiles({ 'game.json': propose(dump), ...inFolder('1', build) });
  const found = builds[0]?.datasets as { shops: Json[]; boards: Json[] };
  assert.equal(found.shops[1], {
    ...{ id: 'Shop 0', name: 'Shop, 0' },
    items: [
      { name: 'Item 0', price: 0 },
      { name: 'Item 1', price: 1 },
    ],
  });
  assert.equal(found.boards[2], {
    id: '2',
    items: [
      { id: '21', cost: 2 },
      { id: '22', cost: 2 },
    ],
  });
  assert.is(
    findGroups({ ...shops, ja: rows(1) }, (name) => name === 'ja'),
    undefined,
  );
});

test('what a row refers to by an id is named, and stats are shares of the value that it names', async () => {
  const shares = { vocalRatioPermil: 404, danceRatioPermil: 316, cardParameterId: 'p1' };
  const cards = NAMES.map((name, at) => ({ id: `c${at}`, name, characterId: `h${at % 2}`, ...shares }));
  const dump = {
    'Card.json': cards,
    'Character.json': ['Ai', 'Rui'].map((name, at) => ({ id: `h${at}`, name: `${name}\u0007`, age: at })),
    'CardParameter.json': ['p1', 'p2'].flatMap((id) =>
      [1, 2].map((level) => ({ id, level, value: `${level}50` })),
    ),
  };
  const build = { ...dump, 'build.json': { released_at: '2026-01-01' }, 'pull_planner.json': { a: 1 } };
  const { builds } = await compileFiles({ 'game.json': propose(dump), ...inFolder('1', build) });
  assert.equal(builds[0]?.roster[1], {
    ...{ id: 'c1', name: NAMES[1] ?? '', character: 'Rui' },
    stats: { vocal: Math.floor((250 * 404) / 1000), dance: 79 },
  });
});

test('a roster may be keyed by names, of which ids for addresses are made', async () => {
  const names = ['Hu Tao', 'Raiden (Shogun)', ...NAMES];
  const dump = {
    'characters.json': Object.fromEntries(names.map((name) => [name, { name, star: 5, hp: 1, atk: 2 }])),
    'days.json': Object.fromEntries(names.map((_, at) => [String(at), { start: `Day ${at}` }])),
  };
  const build = { ...dump, 'build.json': { released_at: '2026-01-01' }, 'pull_planner.json': { a: 1 } };
  const { builds } = await compileFiles({ 'game.json': propose(dump), ...inFolder('1', build) });
  const found = builds[0]?.roster.map(({ id, name }) => [id, name]) ?? [];
  assert.ok(
    found.some(([id, name]) => id === 'Hu-Tao' && name === 'Hu Tao'),
    JSON.stringify(found),
  );
  assert.is(found.length, names.length);
});

test('control characters are removed from names and texts, also from those of lists', () => {
  const units = NAMES.map((name, id) => ({ ...{ id, name: `${name}\u001a` }, lines: ['a\u0000b', null] }));
  const [, name] = /'name': (.*)"/.exec(propose({ 'units.json': units })) ?? [];
  assert.is(name, "$replace(name, /[\\\\x00-\\\\x08\\\\x0b-\\\\x1f\\\\x7f\\\\ufeff]/, '')");
  const items = propose({
    'units.json': NAMES.map((name, id) => ({ id, name, hp: 1, atk: 2 })),
    'items.json': units,
  });
  assert.match(items, "'lines': [lines[$ != null and $ != ''].$replace($, /");
});

test('the roster is what has names, rarities and stats, and what other tables refer to', () => {
  const files = {
    'roguebuffpool.json': NAMES.map((_, at) => ({ id: at, name: `Buff_${at}_Name`, quality: 1 })),
    'phantomitem.json': NAMES.map((_, at) => ({ id: at, name: `Item_${at}_Name`, rarity: 1 })),
    'stars.json': NAMES.map((name, at) => ({
      id: 1000 + at,
      name,
      rarity: 4 + (at % 2),
      hp: 10,
      atk: 2,
      def: 3,
    })),
    'levels.json': NAMES.flatMap((_, at) => [1, 2].map((level) => ({ star_id: 1000 + at, level }))),
  };
  const tables = findTables({ values: new Map(Object.entries(files)), columns: new Map() });
  assert.is(rankRosters(tables)[0]?.table.name, 'stars');
});

test.run();
