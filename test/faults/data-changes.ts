import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Files, gameFiles, inFolder } from '../support/fixtures.ts';
import { type Change, printedBy } from './change.ts';
import { findFaults } from './find-faults.ts';

const SIZE = 300;
const LOCAL = ['--allow-local', '--coverage', 'none'];
const RENUMBERED = ['--data', 'renumbered'];

/** The records of a build. */
function records(version: number, name = (id: number) => `u${id}`) {
  return Array.from({ length: SIZE }, (_, id) => ({
    id: name(id),
    name: `Unit ${id}`,
    stats: { atk: id + (id % 20 === version % 20 ? version : 0) },
  }));
}

/**
 * The files of `dataChanges`: the game `alpha` with a dump for another build, `gamma`, whose builds are in a git repository, and a game
 * whose second build has other ids.
 *
 * @param repository the address of the repository
 */
export function dataFiles(repository: string): Files {
  const gamma: Files = {
    'game.json': {
      title: 'Gamma',
      tables: { units: 'units.json' },
      roster: { from: 'units', entry: "{'id': id, 'name': name, 'stats': stats}" },
      datasets: { pull_planner: "{'cost': 160}" },
      source: { git: repository, build: { subject: '^Update (.+)' }, keep: 'references' },
    },
  };
  const beta: Files = gameFiles({
    '1.0/characters.json': records(1),
    '1.1/build.json': { released_at: '2026-02-01' },
    '1.1/characters.json': records(1, (id) => `new-${id}`),
  });
  return {
    ...inFolder('data/alpha', gameFiles({ '1.0/characters.json': records(1) })),
    ...inFolder('data/gamma', gamma),
    ...inFolder('renumbered/beta', beta),
    'dump/characters.json': records(2),
  };
}

/** What the repository of `gamma` has in one of its two builds. */
export function upstreamFiles(build: 1 | 2): Files {
  return { 'units.json': records(build) };
}

/** Makes a file that dist/ no longer names after the next `gamedata build`. */
export const RETITLED: Files = { 'data/alpha/game.json': { title: 'Alpha' } };

/** The commands that change games, builds, dist/ and published files. */
export const DATA_CHANGES: readonly Change[] = [
  change(['new', 'delta'], (cwd) => isThere(cwd, 'data/delta/game.json')),
  change(
    ['add', 'alpha', '2.0', '--from', 'dump', '--released-at', '2026-02-01T00:00:00Z'],
    printedBy('gamedata', ['diff', 'alpha', '1.0', '2.0'], /atk/),
  ),
  change(
    ['renumber', 'beta', '1.1', ...RENUMBERED],
    printedBy('gamedata', ['check', 'beta', ...RENUMBERED], /^/),
  ),
  change(['pull', 'gamma', ...LOCAL], (cwd) => isThere(cwd, 'data/gamma/1.1/build.json')),
  change(['pull', 'gamma', '--build', '--publish', 'published', ...LOCAL], async (cwd) => {
    const places = ['dist', 'published'].map((folder) => path.join(cwd, folder));
    const faults = await Promise.all(places.map(findFaults));
    return faults.flat().length === 0 && (await isThere(cwd, 'data/gamma/1.1/build.json'));
  }),
  change(['vendor', 'gamma', '--allow-local'], (cwd) => isThere(cwd, 'data/gamma/1.0/units.json')),
  change(['review', 'alpha', '--html', 'review.html'], (cwd) => isThere(cwd, 'review.html')),
  change(['build', '--out', 'out'], printedBy('gamedata', ['verify', '--out', 'out'], /^/)),
  change(['publish', 'elsewhere'], printedBy('gamedata', ['verify', '--out', 'elsewhere'], /^/)),
  change(['prune', '--keep-days', '0'], async (cwd) => {
    const manifests = (await readdir(path.join(cwd, 'dist/alpha'))).filter((name) =>
      name.startsWith('manifest'),
    );
    return manifests.length === 1;
  }),
  change(['keypair', 'key.pem'], (cwd) => isThere(cwd, 'key.pem')),
];

function change(args: readonly string[], isDone: Change['isDone']): Change {
  return { name: 'gamedata', args, isDone };
}

async function isThere(cwd: string, file: string): Promise<boolean> {
  return ((await stat(path.join(cwd, file)).catch(() => undefined))?.size ?? 0) > 0;
}
