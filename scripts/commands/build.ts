import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import fastGlob from 'fast-glob';
import { CommandError } from '../command-error.ts';
import { compileGame } from '../compile-game.ts';
import { countOf } from '../count-of.ts';
import { FORMAT, INDEX_FILE, type Index, indexSchema } from '../dist-format.ts';
import { addFindings, type Finding } from '../findings.ts';
import { type GamePlan, planIndex } from '../plan.ts';
import { createProgress } from '../progress.ts';
import { locateFindings, renderFindings } from '../report.ts';
import { compileSchema } from '../schema.ts';
import { writeDist } from '../write-dist.ts';

/** `gamedata build`. */
export function buildCommand(): Command {
  return new Command('build')
    .description('compile raw game data into dist/')
    .argument('[slug...]', 'the games to build; all of them when none is named')
    .option('--data <folder>', 'where the game folders are', 'data')
    .option('--out <folder>', 'where the compiled files go', 'dist')
    .addHelpText(
      'after',
      `
Exit code: 0 done, 1 errors were found and nothing was written, 2 wrong usage.

Examples:
  gamedata build                          compile every game in data/ into dist/
  gamedata build arknights --out /srv/d   compile one; the others in /srv/d stay as they are`,
    )
    .action((slugs: string[], { data, out }: { data: string; out: string }) => build(slugs, data, out));
}

async function build(slugs: string[], data: string, out: string): Promise<void> {
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const chosen = await chooseGames(slugs, data);
  refuseOutInData(out, data);

  const findings: Finding[] = [];
  const plans: GamePlan[] = [];
  for (const slug of chosen) {
    const { value: plan, findings: found } = await compileGame(path.posix.join(data, slug), slug, progress);
    addFindings(findings, found);
    if (plan) plans.push(plan);
  }
  progress.clear();
  const located = await locateFindings(findings);
  if (located.length > 0) process.stderr.write(`${renderFindings(located)}\n`);
  const errors = located.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    throw new CommandError(`${countOf(errors, 'error')} found; nothing was written, ${out}/ is as it was`);
  }

  // Read as late as can be: another build may have added its game meanwhile.
  const kept = slugs.length > 0 ? await readKeptGames(out, chosen) : [];
  const { bytes, newBytes } = await writeDist(out, plans, planIndex(plans, kept)).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new CommandError(`${out}/ cannot be written: ${error.message}; its index is as it was`);
  });
  process.stdout.write(`${summarise(plans, { bytes, newBytes }, (performance.now() - started) / 1000)}\n`);
}

async function chooseGames(slugs: string[], data: string): Promise<string[]> {
  const folder = await stat(data).catch(() => undefined);
  if (!folder?.isDirectory()) {
    throw new CommandError(`no folder ${data}/: name the one with your game folders by --data`, 2);
  }
  const present = await fastGlob('*', { cwd: data, followSymbolicLinks: false, onlyDirectories: true });
  const unknown = slugs.filter((slug) => !present.includes(slug));
  if (unknown.length > 0) {
    throw new CommandError(
      `no game ${unknown.join(', ')} in ${data}/; it has ${present.join(', ') || 'none'}`,
      2,
    );
  }
  if (present.length === 0) {
    throw new CommandError(
      `no game in ${data}/: a game is a folder with a game.json, as ${data}/my-game/game.json`,
      2,
    );
  }
  return slugs.length > 0 ? [...new Set(slugs)] : present.sort();
}

/** What is written into the data folder would be taken for a game, or for a build's file, the next time. */
function refuseOutInData(out: string, data: string): void {
  const inside = !path.relative(data, out).startsWith('..');
  if (inside)
    throw new CommandError(`--out ${out} lies in the data folder ${data}: name a folder outside it`, 2);
}

/** The games of the present index that this build does not touch. */
async function readKeptGames(out: string, chosen: string[]): Promise<Index['games']> {
  const text = await readFile(path.join(out, INDEX_FILE), 'utf8').catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(
      `${out}/${INDEX_FILE} cannot be read: ${error.message}; its other games would be lost, so nothing was written`,
    );
  });
  if (text === undefined) return [];
  let index: unknown;
  try {
    index = JSON.parse(text);
  } catch {
    index = undefined;
  }
  if (!compileSchema(indexSchema)(index)) {
    throw new CommandError(
      `${out}/${INDEX_FILE} is not of format ${FORMAT}, so its other games cannot be kept: build all games at once`,
    );
  }
  return (index as Index).games.filter(({ slug }) => !chosen.includes(slug));
}

/** Whether the operating system refused something (no space, no permission …). */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function summarise(
  plans: GamePlan[],
  { bytes, newBytes }: { bytes: number; newBytes: number },
  seconds: number,
): string {
  const sum = (of: (plan: GamePlan) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const parts = [
    countOf(plans.length, 'game'),
    countOf(
      sum(({ builds }) => builds),
      'build',
    ),
    countOf(
      sum(({ newest }) => newest.characters),
      'character',
    ),
    countOf(
      sum(({ newest }) => newest.datasets),
      'dataset',
    ),
    `${megabytes(bytes)} (${megabytes(newBytes)} new)`,
  ];
  return `${parts.join(', ')} in ${seconds.toFixed(1)} s`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
