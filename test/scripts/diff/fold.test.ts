import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FOLDED, type FoldedKind } from '../../../scripts/diff/diff-builds.ts';
import { diffGame, type FoldContext } from '../../../scripts/diff/fold.ts';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { contentOf } from './contents.ts';

const test = suite('what the game changed');

const attribute = (key: string, more: Partial<Attribute> = {}): Attribute => ({
  key,
  list: false,
  count: 1,
  ...more,
});
const CONTEXT: FoldContext = {
  language: 'en',
  dictionary: {
    characters: {
      records: 1,
      attributes: [
        attribute('effect', { kind: 'text' }),
        attribute('number', { kind: 'id' }),
        attribute('materials.id', { ref: 'materials' }),
        attribute('skill.id', { ref: 'skills' }),
        attribute('illustrator', { kind: 'text' }),
      ],
    },
    materials: { records: 1, attributes: [attribute('name')] },
    skills: { records: 1, attributes: [attribute('effect')] },
  },
};
const at = '2026-01-01T00:00:00Z';
const [later, past] = ['2027-05-01T09:00:00.000Z', '2020-05-01T09:00:00.000Z'];

const CASES: [what: string, from: Json, to: Json, kind: FoldedKind | undefined, key?: string][] = [
  ['a number, whatever its name ends with', 10, 12, undefined, 'effect_max'],
  ['a new element of a list', [{ id: 'a' }], [{ id: 'a' }, { id: 'b' }], undefined],
  ['an empty element of a list', [], [{}], 'gained'],
  ['null where there was nothing', [], null, 'gained'],
  ['the address of a picture', 'https://a.example/1.png', 'https://b.example/1.png', 'gained'],
  ['a name in another language', 'Le pionnier', 'Pionnier', 'translations', 'name_fr'],
  ['spaces, punctuation and markup', 'Deal 1.5 damage.', '<b>Deal 1.5  damage</b>', 'translations', 'effect'],
  ['a number in a text', 'Deal 1.5 damage', 'Deal 15 damage', undefined, 'effect'],
  ['words in angle brackets', 'For all <Burn>', 'For all <Freeze>', undefined, 'effect'],
  ['the time of a day', later, later.replace('09:00:00', '09:12:44'), 'times'],
  ['a day to come', later, later.replace('05-01', '05-03'), undefined],
  ['a day of the past that is gone', past, undefined as unknown as Json, 'times'],
  ['leading zeros', '08', '8', 'translations'],
  [
    'the place of a number that the level gives',
    'Stun[Lv.] the enemy',
    'Stun the enemy[Lv.]',
    'translations',
  ],
  ['a key whose text is known now', 'SpMax_base', 'Energy Limit', 'gained', 'skill_name'],
  ['a day of the past', past, past.replace('05-01', '05-03'), 'times'],
  ['a rerun', past, later, undefined],
  ['the order of scalars', ['a', 'b'], ['b', 'a'], 'order'],
  ['labels in a list that are spelled anew', ['Beast IIIR'], ['Beast Ⅲ/R'], 'translations'],
  ['the order of numbers, which is by level', [1, 2], [2, 1], undefined],
  ['the order of elements', [{ id: 'a' }, { id: 'b' }], [{ id: 'b' }, { id: 'a' }], 'order'],
  ['an id that renumbers', '1001', '2001', 'references', 'number'],
  [
    'the name of a material, which has its own change',
    [{ id: 'm', name: 'Moonlight Nucleus' }],
    [{ id: 'm', name: 'Moonlight Core' }],
    'references',
    'materials',
  ],
  ['a name with another letter inside a word', 'Carthethyia', 'Cartethyia', 'translations', 'skill_name'],
  ['a name with another number', 'Power Up II', 'Power Up III', undefined, 'skill_name'],
  ['a name that only this record has', 'Hustle!', 'Bustle!', undefined, 'skill_name'],
  ['the mark of a text that is not translated', 'ja', '', 'translations', 'effect_language'],
];

function kindOf(context: FoldContext, key: string, from: Json, to: Json): (FoldedKind | undefined)[] {
  const other = { id: 'other', name: 'Other', [key]: from };
  const build = (value: Json, name: string) =>
    contentOf([{ id: 'ann', name: 'Ann', [key]: value } as JsonObject, other as JsonObject], {}, name);
  const before = { ...build(from, '1.0'), released_at: at };
  const { changed, folded = {} } = diffGame(before, build(to, '1.1'), {}, context).characters;
  return [...changed.map(() => undefined), ...FOLDED.filter((kind) => folded[kind])];
}

for (const [what, from, to, kind, key = 'value'] of CASES)
  test(`${what} is ${kind ?? 'a change of the game'}`, () => {
    assert.equal(kindOf(CONTEXT, key, from, to), [kind]);
  });

test('a game in Japanese is not changed by its English texts, and is by its own', () => {
  const context = { ...CONTEXT, playedIn: 'ja' };
  assert.equal(kindOf(context, 'illustrator', 'Shirabi', 'Shirabii'), ['translations']);
  assert.equal(kindOf(context, 'name_ja', '花咲翁', '花咲か翁'), [undefined]);
});

test('a correction of ours is no change of the game', () => {
  const change = { path: '/value', from: 10, to: 12 };
  const changed = [{ id: 'ann', name: 'Ann', fields: ['value'], changes: [change] }];
  const amendments = [{ characters: { added: [], removed: [], changed }, datasets: {} }];
  assert.equal(kindOf({ ...CONTEXT, amendments }, 'value', 10, 13), ['corrections']);
});

test('references that many records get at once, and nothing else, are read from elsewhere', () => {
  const units = (count: number, statuses: Json) =>
    contentOf(
      Array.from({ length: 40 }, (_, at) => ({
        id: `u${at}`,
        name: 'U',
        statuses: at < count ? statuses : at === 39 ? [{ id: 'bind', name: 'Bind' }] : [],
      })),
    );
  const folded = (count: number) =>
    diffGame(units(0, []), units(count, [{ id: 'burn', name: 'Burn' }])).characters.folded?.gained?.length;
  assert.is(folded(12), 12);
  assert.is(folded(3), undefined);
});

/** How many of thirty records are listed as changed, and how many are folded, by kind. */
function countFolded(
  before: (at: number) => JsonObject,
  after: (at: number) => JsonObject,
  context = CONTEXT,
) {
  const build = (recordOf: (at: number) => JsonObject, name: string) =>
    contentOf(
      Array.from({ length: 30 }, (_, at) => ({ id: `u${at}`, name: `U${at}`, ...recordOf(at) })),
      {},
      name,
    );
  const diff = diffGame(build(before, '1.0'), build(after, '1.1'), {}, context);
  const { changed, folded = {} } = diff.characters;
  return [changed.length, ...FOLDED.flatMap((kind) => (folded[kind] ? [kind, folded[kind].length] : []))];
}

test('an attribute that some records had, and a large part of the others get, is gained', () => {
  const kindIn = (least: number) => (at: number) => (at >= least ? { kind: 'event' } : {});
  assert.equal(countFolded(kindIn(20), kindIn(0)), [0, 'gained', 20]);
  assert.equal(countFolded(kindIn(20), kindIn(15)), [5]);
});

test('a word that is spelled anew everywhere is no change of the game, and one that others keep is', () => {
  const type =
    (word: string, other = 'Event') =>
    (at: number) => ({ type: at < 12 ? word : other });
  assert.equal(countFolded(type('Advanced'), type('Normal')), [0, 'translations', 12]);
  assert.equal(countFolded(type('Normal', 'Elite'), type('Elite', 'Elite')), [12]);
  assert.equal(countFolded(type('Level 4'), type('Level 5')), [12]);
  // A new record may still have the old word.
  const late = (at: number) => ({ type: at < 12 ? 'Normal' : at === 29 ? 'Advanced' : 'Event' });
  assert.equal(countFolded(type('Advanced'), late), [1, 'translations', 12]);
});

test('of a list, an element that is spelled anew does not hide one that is new', () => {
  const traits = (word: string, more: string[]) => (at: number) => ({
    traits: ['Servant', ...(at < 12 ? [word] : []), ...(at < 4 ? more : [])],
  });
  assert.equal(countFolded(traits('riding', []), traits('Riding', [])), [0, 'translations', 12]);
  assert.equal(countFolded(traits('riding', []), traits('Riding', ['Serpent'])), [4, 'translations', 8]);
  const anew = traits('Riding', []);
  const other = (at: number) => (at === 1 ? { traits: ['Servant', 'Flying'] } : anew(at));
  assert.equal(countFolded(traits('riding', []), other), [1, 'translations', 11]);
});

test('what another collection gained, or spells anew, is no change in however few records', () => {
  const build = (trait: string[], kind: string, name: string) => {
    const of = (count: number) =>
      Array.from({ length: 30 }, (_, at) => ({
        id: `u${at}`,
        traits: ['Servant', ...(at < count ? trait : [])],
        ...(at < count && { class: kind }),
      }));
    return contentOf(of(20), { enemies: of(3) }, name);
  };
  const { enemies } = diffGame(build([], 'Beast', '1.0'), build(['Hominid'], 'Beast I', '1.1')).datasets;
  const { changed, folded } = enemies as { changed: object[]; folded?: object };
  assert.equal([changed, Object.keys(folded ?? {})], [[], ['gained', 'translations']]);
});

test('a text that was a copy of another attribute, and is its own in many records, is read from elsewhere', () => {
  const short = (own: number) => (at: number) => ({
    name_ja: `Altria ${at}`,
    short_name_ja: at < own ? `A ${at}` : `Altria ${at}`,
  });
  const context = { ...CONTEXT, playedIn: 'ja' };
  assert.equal(countFolded(short(0), short(15), context), [0, 'gained', 15]);
  assert.equal(countFolded(short(0), short(4), context), [4]);
});

test('two texts of many records that changed places, and a name that is made from one, are no changes', () => {
  const card = (title: string, skill: string) => ({ name: `[${title}] Miku`, title, skill });
  const before = (at: number) => card(`Song ${at}`, `Show ${at}`);
  const after = (swapped: number) => (at: number) =>
    at < swapped ? card(`Show ${at}`, `Song ${at}`) : at === 20 ? card('Day', `Show ${at}`) : before(at);
  assert.equal(countFolded(before, after(12)), [1, 'gained', 12]);
  assert.equal(countFolded(before, after(4)), [5]);
});

test('an element that was a name, and is linked to a record that is new, refers to it; so does its name', () => {
  const banner = (more: object) => [
    { id: 'a', name: 'A', featured: [{ id: 'bob', name: 'Bob' }] },
    { id: 'b', name: 'B', featured: [{ name: 'Ann', ...more }] },
  ];
  const build = (ids: string[], more: object, name: string) =>
    contentOf(
      ids.map((id) => ({ id, name: id })),
      { banners: banner(more) as JsonObject[] },
      name,
    );
  const context: FoldContext = {
    ...CONTEXT,
    dictionary: { banners: { records: 1, attributes: [attribute('featured.id', { ref: 'characters' })] } },
  };
  const after = build(['ann', 'bob'], { id: 'ann', unit_name: 'ann' }, '1.1');
  const { banners } = diffGame(build(['bob'], {}, '1.0'), after, {}, context).datasets;
  assert.equal(banners && 'changed' in banners && banners.changed, []);
  assert.equal(Object.keys((banners as { folded?: object } | undefined)?.folded ?? {}), ['references']);
});

test.run();
