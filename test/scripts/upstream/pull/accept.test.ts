import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../../scripts/format/dist-format.ts';
import {
  changesOf,
  findDueBuilds,
  GameState,
  type HeldBuild,
  questionOf,
} from '../../../../scripts/upstream/pull/state.ts';
import { compileFiles, gameFiles, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { manyRecords, twoBuilds } from '../../check/cases.ts';

const test = suite('which changes upstream keeps');

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
/** What held.json says of a build. */
type Known = Record<string, Json>;
const scaled = (factor: number) => ({
  check: 'values-changed',
  attributes: ['stats.hp'],
  count: 10,
  all: 10,
  factor,
});

const JUMPED = 'values-changed characters.stats.hp';

/** Builds 1.1, 1.2 and 1.3 of days 2, 5 and 9, which are held back for the same since day 2. */
async function findIn({
  first = {},
  second = {},
  questions = [JUMPED],
  newest = 1,
  now = 9,
}: {
  first?: Known;
  second?: Known;
  questions?: string[];
  newest?: number;
  now?: number;
}): Promise<string[]> {
  return await withFolder({}, async (folder) => {
    const known = { commit: 'c', at: day(2), changed: [scaled(2)], questions };
    const later = { ...known };
    await writeFiles(folder, {
      'held.json': {
        builds: { '1.1': { ...known, ...first }, '1.2': { ...later, ...second }, '1.3': later },
      },
    });
    const builds = Object.entries({ '1.1': 2, '1.2': 5, '1.3': 9 }).map(([build, at]) => ({
      build,
      released_at: day(at),
      commit: 'c',
      newestCommit: 'c',
      subject: '',
      settledAt: 0,
      corrections: 0,
    }));
    const times = { newest: Date.parse(day(newest)), now: Date.parse(day(now)) };
    const found = findDueBuilds(await GameState.read(folder), builds, { builds: 2, days: 7 }, times);
    return found.map(({ build }) => build);
  });
}

/**
 * The builds that accept that of day 1, if those of these days are held back for the same.
 *
 * @param others what builds of some days are held back for instead
 */
function acceptAt(
  days: readonly number[],
  asked: Pick<HeldBuild, 'questions' | 'changed'>,
  others: Record<number, string[]> = {},
): string[] {
  const named = days.map((at) => ({ build: `1.${at}`, released_at: day(at) }));
  const held = days.map((at): [string, HeldBuild] => {
    const { [at]: questions = asked.questions ?? [] } = others;
    return [`1.${at}`, { ...asked, questions, commit: 'c', at: day(1) }];
  });
  const times = { newest: 0, now: Date.parse(day(40)) };
  const found = findDueBuilds({ builds: held }, named, { builds: 2, days: 7 }, times);
  return found.flatMap(({ build, by }) => (build === '1.1' ? by.join(' ') : []));
}

const NAMES = ['Épée', 'Arbre', 'Lune', 'Fleuve', 'Soleil', 'Chat', 'Loup', 'Ours', 'Feuille', 'Étoile'];
const heroes = (more: (index: number) => JsonObject = () => ({}), count = NAMES.length) =>
  manyRecords(count, (index) => ({
    name: `Hero ${String.fromCharCode(65 + index)}`,
    element: `Fire ${index % 3}`,
    text: `Text ${index}`,
    zone: `Zone ${index}`,
    stats: { hp: 1000 + index * 37, atk: 100 + index * 13 },
    ...more(index),
  }));
const many = (more: (index: number) => JsonObject = () => ({})) =>
  manyRecords(60, (index) => ({ element: `Fire ${index % 3}`, ...more(index) }));
const inFrench = (index: number) => ({ name: NAMES[index] ?? '' });

const DAMAGE: Record<string, () => JsonObject[]> = {
  'names in another language': () => heroes(inFrench),
  'names and other texts in another language': () =>
    heroes((index) => {
      const french = { element: `Feu ${index % 3}`, text: `Texte ${index}`, zone: `Monde ${index}` };
      return { ...inFrench(index), ...french };
    }),
  'names of other records': () =>
    heroes((index) => ({ name: `Hero ${String.fromCharCode(65 + ((index + 3) % 10))}` })),
  'elements that are all one new text': () => many(() => ({ element: 'Zzyx' })),
  'elements that are all the one that some had': () => many(() => ({ element: 'Fire 1' })),
  'stats that are all 0': () => heroes(() => ({ stats: { hp: 0, atk: 0 } })),
};
for (const [what, after] of Object.entries(DAMAGE)) {
  test(`${what} wait for a person, however long upstream keeps them`, async () => {
    const damaged = after();
    const before = damaged.length > 10 ? many() : heroes(undefined, damaged.length);
    const files = twoBuilds({ characters: before }, { characters: damaged });
    const { findings } = await compileFiles(gameFiles(files));
    assert.ok(findings.length > 0, 'it is held back');
    const questions = findings.map(questionOf);
    assert.equal(acceptAt([1, 2, 3, 4, 29, 30], { questions, changed: changesOf(findings) }), []);
  });
}

test('a single stat that a game gave up is accepted after four builds and four weeks', () => {
  const emptied = { attributes: ['stats.regen'], count: 116, all: 116 };
  const changed = [
    { check: 'values-lost', ...emptied },
    { check: 'categories-changed', ...emptied, value: 0 },
  ];
  const questions = changed.map(({ check }) => `${check} characters.stats.regen`);
  assert.equal(acceptAt([1, 2, 3, 4, 29], { questions, changed }), ['1.2 1.3 1.4 1.29']);
});

test('one date or number for nearly all is accepted as late as a loss', () => {
  for (const [attribute, value] of [
    ['start', '2015-12-17T15:00:00+08:00'],
    ['stats.regen', 1],
  ] as const) {
    const changed = [{ check: 'values-changed', attributes: [attribute], count: 60, all: 60, value }];
    const questions = [`values-changed quests.${attribute}`];
    assert.equal(acceptAt([1, 2, 3, 9], { questions, changed }), [], attribute);
    assert.equal(acceptAt([1, 2, 3, 4, 29], { questions, changed }), ['1.2 1.3 1.4 1.29'], attribute);
  }
});

test('two later builds of a week ask the same, and so long a person could decide', async () => {
  assert.equal(await findIn({}), ['1.1']);
  assert.equal(await findIn({ now: 8 }), [], 'not held back for a week');
  assert.equal(await findIn({ first: { at: day(20) } }), [], 'the clock went back');
  assert.equal(await findIn({ newest: 3 }), [], 'a later build passed without it');
  assert.equal(await findIn({ first: { overrides: [] } }), [], 'a person decided');
  assert.equal(await findIn({ second: { skip: true } }), [], 'one of two is skipped');
});

test('a later build that asks something else too still keeps the change', () => {
  const asked = { questions: ['values-lost characters.stats.mana'], changed: [] };
  const days = [1, 2, 3, 4, 29];
  const more = [...asked.questions, 'values-changed characters.name'];
  assert.equal(acceptAt(days, asked, { 4: more, 29: more }), ['1.2 1.3 1.4 1.29']);
  assert.equal(acceptAt(days, asked, { 29: ['values-lost characters.stats'] }), ['1.2 1.3 1.4 1.29'], 'more');
  assert.equal(acceptAt([...days, 30, 31, 32], asked, { 3: ['values-lost items'] }), [], 'taken back once');
});

test('a change that changes again is not kept', async () => {
  assert.equal(await findIn({ second: { changed: [scaled(2.05)] } }), ['1.1']);
  assert.equal(await findIn({ second: { changed: [scaled(5)] } }), []);
});

test('a loss that upstream keeps is accepted after twice as many builds and four times as many days', () => {
  const accept = (...days: number[]) =>
    acceptAt(days, { questions: ['records-lost characters'], changed: [] });
  assert.equal(accept(1, 2, 3, 4, 29, 30), ['1.2 1.3 1.4 1.29'], 'those that are enough');
  assert.equal(accept(1, 2, 3, 4, 28), [], 'less than four weeks');
  assert.equal(accept(1, 2, 3, 29), [], 'three builds');
  assert.equal(accept(1, 2, 3, 39), ['1.2 1.3 1.39'], 'three builds, and longer');
  assert.equal(accept(1, 2, 40), [], 'two builds need eight weeks');
});

for (const [what, question] of [
  ['a loss', 'values-lost characters.element'],
  ['a lost record', 'records-lost characters'],
  ['a name in another language', 'values-changed characters.name'],
  ['a text in another language', 'language-copied characters.name_de'],
] as const) {
  test(`${what} is not accepted after two builds and a week`, async () => {
    assert.equal(await findIn({ questions: [JUMPED, question] }), []);
  });
}

test('numbers that lost their sign wait for a person', async () => {
  assert.equal(await findIn({ first: { changed: [scaled(-1)] } }), []);
});

test.run();
