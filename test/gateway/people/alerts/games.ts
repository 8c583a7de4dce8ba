import type { Files } from '../../../support/fixtures.ts';
import { isoAt } from './world.ts';

/** A game with one build, released long ago. */
export const SAGA: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
  'saga/1.0/pull_planner.json': { cost: 160 },
};

/**
 * Another build of `SAGA`, which adds characters.
 *
 * @param build `1.` and a number n below 100; the build is released 100 - n seconds ago and has n more characters
 */
export function nextBuild(now: number, build = '1.1'): Files {
  const number = Number(build.slice(2));
  return {
    [`saga/${build}/build.json`]: { released_at: isoAt(now - (100 - number) * 1000) },
    [`saga/${build}/characters.json`]: [
      { id: 'ann', name: 'Ann' },
      ...Array.from({ length: number }, (_, index) => ({ id: `bo-${index}`, name: `Bo & <${index + 1}>` })),
    ],
  };
}

/** Another game, with one build. */
export function newGame(slug: string, released: number): Files {
  return {
    [`${slug}/game.json`]: { title: slug.toUpperCase() },
    [`${slug}/1.0/build.json`]: { released_at: isoAt(released) },
    [`${slug}/1.0/characters.json`]: [{ id: 'ann', name: 'Ann' }],
    [`${slug}/1.0/pull_planner.json`]: { cost: 1 },
  };
}
