import type { Json } from '../../../scripts/format/dist-format.ts';
import type { Files } from '../../support/fixtures.ts';
import { BYSTANDERS } from '../../support/over-time.ts';
import { fc } from '../../support/random.ts';

/** A build, as its maintainer describes it. */
export interface RawBuild {
  game: string;
  build: string;
  /** A word in everything that the build adds, and in nothing older. */
  word: string;
  /** In ms since 1970. */
  releasedAt: number;
}

/** All builds of all games; those of one game in the order of their release. */
export type World = readonly RawBuild[];

export const HOUR = 3_600_000;
/** No build is released before this time. */
export const DAWN = Date.parse('2026-03-01T00:00:00Z');

/** A word that is in no world, and equally unlike all words of a world. */
export const NOWHERE = wordOf('z');

function wordOf(letter: string): string {
  return letter.repeat(8);
}

/** Worlds of one to three games, whose builds are released within four days. */
export const worlds: fc.Arbitrary<World> = fc
  .array(fc.uniqueArray(fc.integer({ min: 1, max: 96 * 60 }), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((games) => {
    const letters = [...'abcdefghi'];
    return games.flatMap((minutes) => {
      const words = minutes.map(() => wordOf(letters.shift() as string));
      return minutes
        .toSorted((a, b) => a - b)
        .map((minute, index) => ({
          game: `g-${words[0]}`,
          build: `b-${words[index]}`,
          word: words[index] as string,
          releasedAt: DAWN + minute * 60_000,
        }));
    });
  });

const REMOVED = [{ check: 'records-lost', of: 'characters', reason: 'A character stays for two builds.' }];

/**
 * The files of a world. Every build changes the character `base`, and adds a character, an attribute and a dataset. The character is
 * removed two builds later; the attribute and the dataset stay.
 */
export function filesOf(world: World): Files {
  const files: Files = {};
  for (const { game, build, word, releasedAt } of world) {
    const builds = world.filter((other) => other.game === game && other.releasedAt <= releasedAt);
    const words = builds.map((other) => other.word);
    const attributes = Object.fromEntries(words.map((known) => [`f_${known}`, 1]));
    const base: Json = { id: 'base', name: 'Base', value: word, ...attributes };
    const own = words.slice(-2).map((known) => ({ id: `c-${known}`, name: `Name ${known}` }));
    files[`${game}/game.json`] ??= { title: `Title ${word}` };
    const folder = `${game}/${build}`;
    files[`${folder}/build.json`] = {
      released_at: new Date(releasedAt).toISOString(),
      note: `Note ${word}`,
      ...(words.length > 2 && { overrides: REMOVED }),
    };
    files[`${folder}/characters.json`] = [base, ...own, ...BYSTANDERS];
    files[`${folder}/pull_planner.json`] = { currency: word };
    files[`${folder}/ds_${word}.json`] = [{ id: 'r', text: word }];
  }
  return files;
}
