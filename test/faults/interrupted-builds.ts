import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Terms } from '../campaigns/campaign.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { gameFiles, inFolder, writeFiles } from '../support/fixtures.ts';
import { interruptAt } from '../support/interrupt.ts';
import { type FaultCampaign, type Figures, findFaults, noFigures } from './figures.ts';

/** Enough records that a write takes several steps. */
function characters(version: number) {
  return Array.from({ length: 300 }, (_, id) => ({
    id: `u${id}`,
    name: `Unit ${id}`,
    // Few values change from version to version, and by little, as checks expect.
    stats: { atk: 1000 + id + (id % 20 === version % 20 ? version : 0) },
  }));
}

/** The commands that write, each with the approximate number of its writing steps. */
const COMMANDS: readonly { args(round: number): string[]; steps: number }[] = [
  { args: (round) => addArgs(round), steps: 12 },
  { args: () => ['build', '--jobs', '2'], steps: 60 },
  { args: () => ['publish', 'published'], steps: 20 },
  { args: () => ['prune', '--keep-days', '0'], steps: 10 },
];

function addArgs(round: number): string[] {
  const released = new Date(Date.UTC(2026, 1, 1, 0, round)).toISOString();
  return ['add', 'alpha', `2.${round}`, '--from', 'dump', '--released-at', released];
}

/** Each command that writes is killed at a random step, and run again. */
export const campaign: FaultCampaign = {
  name: 'interrupted builds',
  about:
    'kill -9 of add, build, publish and prune: what is published stays whole, and the next run needs no help',
  rounds: 40,
  needs: [],
  async run(terms) {
    const cwd = await mkdtemp(path.join(tmpdir(), 'faults-'));
    const figures = noFigures();
    try {
      await writeFiles(cwd, inFolder('data/alpha', gameFiles({ '1.0/characters.json': characters(1) })));
      await complete(cwd, ['build'], terms, figures);
      await complete(cwd, ['publish', 'published'], terms, figures);
      for (let round = 0; !terms.isOver(); round++) await interruptAll(cwd, round, terms, figures);
    } finally {
      await rm(cwd, { recursive: true });
    }
    return figures;
  },
};

async function interruptAll(cwd: string, round: number, terms: Terms, figures: Figures): Promise<void> {
  await writeFiles(cwd, { 'dump/characters.json': characters(round + 2) });
  for (const { args, steps } of COMMANDS) {
    const step = 1 + Math.floor(terms.random() * steps);
    const env = interruptAt({ file: '', step, signal: 'SIGKILL' });
    const { signal } = await startCommand('gamedata', args(round), { cwd, env, detached: true }).ended;
    if (signal) figures.tried++;
    for (const folder of ['dist', 'published']) await checkWhole(path.join(cwd, folder), terms, figures);
    if (signal) await complete(cwd, args(round), terms, figures);
  }
}

/** Runs a command that has to succeed. An `add` may report that the build exists, if its first run had already stored it. */
async function complete(cwd: string, args: string[], { report }: Terms, figures: Figures): Promise<void> {
  const { code, stderr } = await runCommand('gamedata', args, { cwd });
  if (code === 0 || (args[0] === 'add' && /already/.test(stderr))) return;
  figures.lost++;
  if (code === null || stderr === '') figures.silent++;
  report(`gamedata ${args.join(' ')} ended with ${code}: ${stderr}`);
}

async function checkWhole(folder: string, { report }: Terms, figures: Figures): Promise<void> {
  const faults = await findFaults(folder);
  if (faults.length === 0) return;
  figures.torn++;
  report(`${path.basename(folder)}: ${JSON.stringify(faults)}`);
}
