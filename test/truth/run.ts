import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chooseGames } from '../../scripts/commands/games.ts';
import { createRandom } from '../support/create-random.ts';
import { DATA } from '../support/paths.ts';
import { UPSTREAM } from '../support/skip.ts';
import { TRUTH_GAMES, type TruthGame } from './games.ts';
import { UnsoundGame } from './guard.ts';
import { layOutHistory } from './history.ts';
import { MUTATIONS } from './mutations.ts';
import { checkSteps, layOutPlain, readJudgements, type Step } from './precision.ts';
import { type Found, Recall, type Trial } from './recall.ts';
import { formatKinds, formatMissed, formatRecall, formatServed, formatSteps } from './report.ts';
import { pullBuilds } from './served.ts';
import { TruthWorld } from './truth-world.ts';

const HELP = `npm run truth -- [--game <text>]... [--folder <folder>] [--kind <text>]... [--targets <number>] [--seed <number>]
                  [--only recall|precision|served] [--history <folder> --of <game> [--since <date>]] [--verbose]

Measures what the checks of builds find, on real dumps.
  --game     only games whose name contains the text
  --folder   the folder of a game with two builds or more, instead of the shared dumps and of the games of data/ that they lack
  --kind     only kinds of mutations whose name contains the text
  --targets  how many tables or attributes of a game each kind is applied to (default 1)
  --only     recall (mutated dumps), precision (real steps), or served: which real builds a pull serves with no person; without --folder, of the
             shared dumps and of the games of data/
  --history  the same for all builds of a git repository on this machine, as "source" of a game reads them: --of <game>, --since <date>
  --seed     repeats the random choices of an earlier run
  --verbose  which checks find each mutation, and a table of the kinds
A game whose newest build has errors before any mutation is not measured.
`;

const { values: options } = parseArgs({
  options: {
    game: { type: 'string', multiple: true, default: [] },
    folder: { type: 'string' },
    kind: { type: 'string', multiple: true, default: [] },
    targets: { type: 'string', default: '1' },
    seed: { type: 'string' },
    only: { type: 'string' },
    history: { type: 'string' },
    of: { type: 'string', default: '' },
    since: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const isChosen = (name: string, texts: readonly string[]) =>
  texts.length === 0 || texts.some((text) => name.includes(text));

async function measurePrecision(games: readonly TruthGame[]): Promise<Step[]> {
  const judgements = await readJudgements();
  const steps: Step[] = [];
  for (const game of games) {
    const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
    try {
      steps.push(...(await checkSteps(game, folder, judgements)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return steps;
}

/** Prints which builds of a folder, or of each game, a pull serves with no person. */
async function measureServed(source: string | undefined): Promise<void> {
  const pull = async (folder: string) =>
    process.stdout.write(formatServed(await pullBuilds(folder, path.basename(path.resolve(folder)))));
  if (source !== undefined) return void (await pull(source));
  for (const game of TRUTH_GAMES.filter(({ slug }) => isChosen(slug, options.game))) {
    const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
    try {
      await layOutPlain(game, path.join(folder, game.slug));
      process.stdout.write(`\n## ${game.slug}, shared dumps\n\n`);
      await pull(path.join(folder, game.slug));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  for (const slug of await chooseGames([], DATA)) {
    if (!isChosen(slug, options.game)) continue;
    process.stdout.write(`\n## ${slug}, data/\n\n`);
    await pull(path.join(DATA, slug));
  }
}

/** Prints which builds of a public history a pull serves with no person. */
async function measureHistory(git: string, slug: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
  try {
    await layOutHistory(slug, { git, since: options.since }, path.join(folder, slug));
    await measureServed(path.join(folder, slug));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tries all kinds on each game; returns the trials, and the seconds by game. */
async function measureRecall(games: readonly TruthGame[], seed: number) {
  const trials: Trial[] = [];
  const seconds = new Map<string, number>();
  for (const game of games) {
    const begin = performance.now();
    const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
    try {
      for await (const trial of tryAll(await TruthWorld.open(game, folder), seed)) trials.push(trial);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    seconds.set(game.slug, (performance.now() - begin) / 1000);
    process.stderr.write(`${game.slug}: ${seconds.get(game.slug)?.toFixed(0)} s\n`);
  }
  return { trials, seconds };
}

/** Tries all kinds on a copy of a game's folder. */
async function measureFolder(source: string, seed: number): Promise<Trial[]> {
  const slug = path.basename(path.resolve(source));
  const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
  const trials: Trial[] = [];
  try {
    const copy = path.join(folder, slug);
    await cp(source, copy, { recursive: true });
    for await (const trial of tryAll(await TruthWorld.of(copy, slug), seed)) trials.push(trial);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return trials;
}

async function* tryAll(world: TruthWorld, seed: number): AsyncGenerator<Trial> {
  const recall = await Recall.begin(world);
  for (const [at, mutation] of MUTATIONS.entries()) {
    if (!isChosen(mutation.name, options.kind)) continue;
    // Each kind has its own random numbers, so that it can be repeated alone.
    for await (const trial of recall.try(mutation, Number(options.targets), createRandom(seed + at))) {
      if (options.verbose) process.stderr.write(`${describeTrial(trial)}\n`);
      yield trial;
    }
  }
}

function describeTrial({ game, mutation, target, step, first }: Trial): string {
  const describe = (found: Found | undefined) => (found ? found.checks.join(', ') || 'NOTHING' : '–');
  return `${game} ${target}: ${mutation}: ${describe(step)}; in a first build: ${describe(first)}`;
}

async function measure(): Promise<void> {
  const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
  process.stderr.write(`seed: ${seed}\n`);
  if (options.history !== undefined) return await measureHistory(options.history, options.of);
  if (options.only === 'served') return await measureServed(options.folder);
  if (options.folder !== undefined) return report(await measureFolder(options.folder, seed), new Map());
  const games = TRUTH_GAMES.filter(({ slug }) => isChosen(slug, options.game));
  if (options.only !== 'recall') process.stdout.write(formatSteps(await measurePrecision(games)));
  if (options.only === 'precision') return;
  const { trials, seconds } = await measureRecall(games, seed);
  const shipped = await chooseGames([], DATA);
  for (const slug of shipped.filter((each) => isChosen(each, options.game)))
    if (!TRUTH_GAMES.some((game) => game.slug === slug))
      trials.push(...(await measureFolder(path.join(DATA, slug), seed)));
  report(trials, seconds);
}

function report(trials: readonly Trial[], seconds: ReadonlyMap<string, number>): void {
  if (options.verbose) process.stdout.write(`${formatKinds(trials, 'mutation')}\n`);
  process.stdout.write(`${formatKinds(trials, 'of')}\n`);
  process.stdout.write(`${formatRecall(trials, seconds)}\n${formatMissed(trials)}`);
}

if (options.help) process.stdout.write(HELP);
else if (options.folder === undefined && options.history === undefined && !existsSync(UPSTREAM))
  process.stdout.write(`skipped without ${UPSTREAM}: the measurement of the checks\n`);
else {
  try {
    await measure();
  } catch (error) {
    if (!(error instanceof UnsoundGame)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
