import type { Check } from './check.ts';

export const rosterSizeCheck: Check = {
  name: 'roster-size',
  description: 'A roster has at least one character.',
  check: ({ source, characters, rosterPlace }) =>
    characters.length > 0
      ? []
      : [
          {
            check: 'roster-size',
            severity: 'error',
            place: rosterPlace,
            found: `no character in build ${source.build}`,
            expected: 'at least one',
            fix: 'put characters.json or characters.csv beside build.json, or map the roster in game.json',
          },
        ],
};
