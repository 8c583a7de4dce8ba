import { suite } from 'uvu';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check build-backwards');

const AT_ROSTER = 'build-backwards 1.2/characters.json:1';
const third = (characters: JsonObject[], more: Record<string, unknown> = {}) => ({
  '1.2/build.json': { released_at: '2026-03-01T00:00:00Z' },
  '1.2/characters.json': characters,
  ...more,
});

testFindings(
  test,
  'a dump that upstream published before is an old one, and nothing else is reported of it',
  {
    ...twoBuilds(
      { characters: manyRecords(20) },
      { characters: manyRecords(24, (index) => ({ atk: index })) },
    ),
    ...third(manyRecords(20)),
  },
  [AT_ROSTER],
  /^the same content as build 1\.0, and not that of build 1\.1/,
);
testFindings(
  test,
  'a build that lacks again what the build before added goes back, also if something else is new',
  {
    ...twoBuilds({ characters: manyRecords(20) }, { characters: manyRecords(21) }),
    ...third(manyRecords(20, (index) => (index === 3 ? { note: 'new' } : {}))),
  },
  [AT_ROSTER],
  /^none of the 1 records that the build before added to characters: id-20/,
);
testFindings(
  test,
  'a build that replaces what the build before added does not',
  {
    ...twoBuilds({ characters: manyRecords(20) }, { characters: manyRecords(21) }),
    ...third([...manyRecords(20), { id: 'other', name: 'Other' }]),
  },
  ['records-lost 1.2/characters.json:1'],
);
testFindings(
  test,
  'the newest dates of a list may not go back',
  twoBuilds(
    {
      characters: manyRecords(40, (index) => ({
        start: `2026-01-${String((index % 28) + 1).padStart(2, '0')}`,
      })),
    },
    {
      characters: manyRecords(40, (index) => ({
        start: `2026-01-${String((index % 28) + 1).padStart(2, '0')}`,
      })).filter(({ start }) => String(start) < '2026-01-26'),
    },
  ),
  ['build-backwards 1.1/characters.json:1'],
  /^2026-01-25 as the newest "start" of characters, and without 3 records/,
);

test.run();
