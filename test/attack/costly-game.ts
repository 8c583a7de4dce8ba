import type { Json } from '../../scripts/format/dist-format.ts';
import type { Files } from '../support/fixtures.ts';

/** As many as the games of the bench have. */
const CHARACTERS = 1000;
const SYLLABLES = 'ka mi ra to né lo su ei an ho'.split(' ');
const KANA = 'カミラトネロスエアホ';
const HANGUL = '가미라도네로수에안호';

/** The facets of each record, by their types. */
export const FACETS = {
  texts: ['id', 'name', 'name_ja', 'name_ko', 'title', 'element', 'text'],
  lists: ['tags'],
  numbers: ['rarity', ...Array.from({ length: 8 }, (_, at) => `stats.s${at}`)],
};

/** All names that a filter may have, also inside a list of objects. */
export const ATTRIBUTES = [
  ...FACETS.texts,
  ...FACETS.lists,
  ...FACETS.numbers,
  'skills.name',
  'skills[m].level',
];

/** A game with as much for a query to work on as a real one: names in several languages, lists, numbers and texts. */
export const COSTLY_GAME: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': Array.from({ length: CHARACTERS }, (_, row) => makeRecord(row)),
  'saga/1.0/items.json': Array.from({ length: CHARACTERS }, (_, row) => makeRecord(row)),
  'saga/1.0/pull_planner.json': { cost: 160 },
};

function makeRecord(row: number): Json {
  return {
    id: `unit-${row}`,
    name: nameOf(row, SYLLABLES),
    name_ja: nameOf(row, [...KANA]),
    name_ko: nameOf(row, [...HANGUL]),
    title: `the ${nameOf(row * 7, SYLLABLES)} of ${nameOf(row * 3, SYLLABLES)}`,
    element: `element ${row % 7}`,
    rarity: row % 5,
    tags: Array.from({ length: 5 }, (_, at) => `tag-${(row * at) % 40}`),
    stats: Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`s${at}`, (row * (at + 3)) % 1009])),
    skills: Array.from({ length: 3 }, (_, at) => ({ name: `skill ${(row + at) % 50}`, level: at })),
    text: `${nameOf(row, SYLLABLES)} `.repeat(6),
  };
}

/** A name of three words. */
function nameOf(row: number, syllables: readonly string[]): string {
  const word = (seed: number) =>
    Array.from({ length: 3 }, (_, at) => syllables[Math.floor(seed / 10 ** at) % 10]).join('');
  return `${word(row)} ${word(row * 7 + 3)} ${word(row * 13 + 5)}`;
}
