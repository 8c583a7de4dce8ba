import { type Check, hasFaultyFile } from './check.ts';

export const rosterSizeCheck: Check = {
  name: 'roster-size',
  description: 'A roster has at least one character.',
  scope: 'build',
  severity: 'error',
  thresholds: {},
  passes: { '1.0/characters.json': [{ id: 'ann', name: 'Ann' }] },
  fails: { '1.0/characters.json': [] },
  check: ({ source, characters, rosterPlace, rosterTableMissing }, known) => {
    if (characters.length > 0) return [];
    // If the roster's source could not be read, that is reported already.
    const reported = rosterTableMissing
      ? known.some(({ severity }) => severity === 'error')
      : hasFaultyFile(known, 'characters');
    if (reported) return [];
    const buildFile = `${source.folder}/build.json`;
    return [
      {
        place: rosterPlace,
        found: `no character in build ${source.build}`,
        expected: 'at least one',
        ...(rosterPlace.file === buildFile && {
          fix: 'put characters.json or characters.csv beside build.json, or map the roster in game.json',
        }),
      },
    ];
  },
};
