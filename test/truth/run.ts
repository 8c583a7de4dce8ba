import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../support/create-random.ts';
import { UPSTREAM } from '../support/skip.ts';
import { TRUTH_GAMES, type TruthGame } from './games.ts';
import { MUTATIONS, Recall, type Trial } from './recall.ts';
import { checkSteps, readJudgements, type Step } from './precision.ts';
import { formatMissed, formatRecall, formatSteps, formatTrials } from './report.ts';
import { TruthWorld } from './truth-world.ts';

const HELP = `npm run truth -- [--game <text>]... [--kind <text>]... [--seed <number>] [--only recall|precision] [--verbose]

Measures what the checks of builds find, on real dumps.
  --game     only games whose name contains the text
  --kind     only kinds of mutations whose name contains the text
  --only     recall (mutated dumps) or precision (real steps)
  --seed     repeats the random choices of an earlier run
  --verbose  which checks find each mutation
`;

const { values: options } = parseArgs({
  options: {
    game: { type: 'string', multiple: true, default: [] },
    kind: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string' },
    only: { type: 'string' },
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

async function measureRecall(games: readonly TruthGame[], seed: number): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (const game of games) {
    const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
    try {
      trials.push(...(await tryAll(game, folder, seed)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return trials;
}

async function tryAll(game: TruthGame, folder: string, seed: number): Promise<Trial[]> {
  const recall = await Recall.begin(await TruthWorld.open(game, folder));
  const trials: Trial[] = [];
  for (const [at, mutation] of MUTATIONS.entries()) {
    if (!isChosen(mutation.name, options.kind)) continue;
    // Each kind has its own random numbers, so that it can be repeated alone.
    const trial = await recall.try(mutation, createRandom(seed + at));
    if (trial === undefined) continue;
    trials.push(trial);
    if (options.verbose) process.stderr.write(`${describeTrial(trial)}\n`);
  }
  return trials;
}

function describeTrial({ game, mutation, target, checks, first }: Trial): string {
  const inFirst = first ? `; in a first build: ${first.checks.join(', ') || 'nothing'}` : '';
  return `${game} ${target}: ${mutation}: ${checks.join(', ') || 'nothing'}${inFirst}`;
}

async function measure(): Promise<void> {
  const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
  process.stderr.write(`seed: ${seed}\n`);
  const games = TRUTH_GAMES.filter(({ slug }) => isChosen(slug, options.game));
  if (options.only !== 'recall') process.stdout.write(formatSteps(await measurePrecision(games)));
  if (options.only === 'precision') return;
  const trials = await measureRecall(games, seed);
  const kinds = MUTATIONS.map(({ name }) => name).filter((name) => isChosen(name, options.kind));
  process.stdout.write(`${formatTrials(kinds, trials)}\n${formatRecall(trials)}${formatMissed(trials)}`);
}

if (options.help) process.stdout.write(HELP);
else if (!existsSync(UPSTREAM))
  process.stdout.write(`skipped without ${UPSTREAM}: the measurement of the checks\n`);
else await measure();
