import type { Rule } from '../../../../scripts/check/rules.ts';
import type { Example, ExampleRule } from '../cases.ts';

const ROSTER = '24f70dcdbd88bf37345057c0123908b7d70b023b0c3aeb57f1cbc753f3a74bd7';
const PLANNER = '9cff072950fcf0d40bc36abf9a1e79a1ce26bfcbfd8b062b8aee095feaea3e9a';

/** A recorded build of one character and a planner. Its hashes never change: the files of maintainers have them. */
const recorded = (hash: string): Example => ({
  '1.0/build.json': { released_at: '2026-01-01' },
  '1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
  '1.0/pull_planner.json': { currency: 'Gem' },
  'builds.lock.json': {
    builds: {
      '1.0': {
        released_at: '2026-01-01T00:00:00Z',
        roster: ROSTER,
        characters: hash,
        datasets: { pull_planner: PLANNER },
      },
    },
  },
});

/** What holds of what was published. `recorded/` reports it. */
export const RECORD_RULES: readonly ExampleRule[] = [
  {
    name: 'recorded-build',
    description: 'A released build stays as it was published; undo the change, or correct the build.',
    severity: 'error',
    fails: recorded('0'.repeat(64)),
  },
];

const machine = { severity: 'error' } as const;

/** What holds of the machine, of upstream, and of this program. No file of a game is an example of them. */
export const MACHINE_RULES: readonly Rule[] = [
  {
    ...machine,
    name: 'time-limit',
    description: 'A build is compiled within `--time-limit` seconds of processor time.',
  },
  { ...machine, name: 'memory-limit', description: 'A game is compiled within `--memory-limit` MiB.' },
  {
    ...machine,
    name: 'system-limit',
    description: 'The disk, also that of `TMPDIR`, has space left, and enough files can be opened.',
  },
  {
    ...machine,
    name: 'upstream-file',
    description: 'Files that builds name by reference can be fetched, and their copies are undamaged.',
  },
  {
    ...machine,
    name: 'internal-error',
    description: '`gamedata` itself has no fault; please report one with the file.',
  },
];
