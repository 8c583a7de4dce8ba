import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CHANGE_CHECKS } from '../../scripts/changes/change-checker.ts';
import { chooseGames } from '../../scripts/commands/options.ts';
import { createRandom } from '../support/create-random.ts';
import { DATA } from '../support/paths.ts';
import { UPSTREAM } from '../support/skip.ts';
import { layOutPlain, TRUTH_GAMES } from './games.ts';
import { MUTATIONS } from './mutations.ts';
import { Recall, type Trial, UnsoundGame } from './recall.ts';
import { formatMissed, formatRecall, formatServed, formatWorth } from './report.ts';
import { pullBuilds } from './served.ts';
import { TruthWorld } from './truth-world.ts';

const HELP = `npm run truth -- [--game <text>]... [--folder <folder>] [--kind <text>]... [--targets <number>]
                  [--seed <number>] [--only served]

Measures what the checks of builds find, on real dumps: the shared ones, and the games of data/ that these lack.
  --game     only games whose name contains the text
  --folder   the folder of a game with two builds or more instead
  --kind     only kinds of mutations whose name contains the text
  --targets  how many tables or attributes of a game each kind is applied to (default 1)
  --seed     repeats the random choices of an earlier run
  --only     served: which real builds a pull serves with no person
A game whose newest build has errors before any mutation is not measured.
`;

const { values: options } = parseArgs({
  options: {
    game: { type: 'string', multiple: true, default: [] },
    folder: { type: 'string' },
    kind: { type: 'string', multiple: true, default: [] },
    targets: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const isChosen = (name: string, texts: readonly string[]) =>
  texts.length === 0 || texts.some((text) => name.includes(text));
const games = TRUTH_GAMES.filter(({ slug }) => isChosen(slug, options.game));

/** The games of data/ that are chosen and have a build to compare with, by their folders. */
async function shippedFolders(): Promise<string[]> {
  const slugs = (await chooseGames([], DATA)).filter((slug) => isChosen(slug, options.game));
  const isBuild = (place: string) => existsSync(path.join(place, 'build.json'));
  const buildsIn = (folder: string) => readdirSync(folder).filter((name) => isBuild(path.join(folder, name)));
  return slugs.map((slug) => path.join(DATA, slug)).filter((folder) => buildsIn(folder).length > 1);
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'truth-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints which builds of a folder a pull serves with no person. */
async function printServed(folder: string, title = path.basename(path.resolve(folder))): Promise<void> {
  const builds = await pullBuilds(folder, path.basename(path.resolve(folder)));
  process.stdout.write(`\n## ${title}\n\n${formatServed(builds)}`);
}

async function measureServed(): Promise<void> {
  if (options.folder !== undefined) return await printServed(options.folder);
  for (const game of games)
    await inFolder(async (folder) => {
      await layOutPlain(game, path.join(folder, game.slug));
      await printServed(path.join(folder, game.slug), `${game.slug}, shared dumps`);
    });
  for (const folder of await shippedFolders()) await printServed(folder);
}

/** Tries all kinds of mutations on a game. Each kind has its own random numbers, so that it can be repeated alone. */
async function tryAll(world: TruthWorld): Promise<Trial[]> {
  const recall = await Recall.begin(world);
  const trials: Trial[] = [];
  for (const [at, mutation] of MUTATIONS.entries()) {
    if (!isChosen(mutation.name, options.kind)) continue;
    const random = createRandom(Number(options.seed) + at);
    for await (const trial of recall.try(mutation, Number(options.targets), random)) trials.push(trial);
  }
  return trials;
}

function printUnsound(error: unknown): void {
  if (!(error instanceof UnsoundGame)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function measureRecall(): Promise<Trial[]> {
  process.stderr.write(`seed: ${options.seed}\n`);
  const trials: Trial[] = [];
  if (options.folder === undefined)
    for (const game of games)
      trials.push(...(await inFolder(async (folder) => await tryAll(await TruthWorld.open(game, folder)))));
  for (const source of options.folder === undefined ? await shippedFolders() : [options.folder]) {
    const slug = path.basename(path.resolve(source));
    if (options.folder === undefined && games.some((game) => game.slug === slug)) continue;
    await inFolder(async (folder) => {
      await cp(source, path.join(folder, slug), { recursive: true });
      trials.push(...(await tryAll(await TruthWorld.of(path.join(folder, slug), slug))));
    }).catch(printUnsound);
  }
  return trials;
}

async function measure(): Promise<void> {
  if (options.only === 'served') return await measureServed();
  const trials = await measureRecall();
  const checks = CHANGE_CHECKS.map(({ name }) => name);
  const tables = (['mutation', 'of', 'game'] as const).map((by) => formatRecall(trials, by));
  process.stdout.write([...tables, formatWorth(trials, checks), formatMissed(trials)].join('\n'));
}

if (options.help) process.stdout.write(HELP);
else if (options.folder === undefined && !existsSync(UPSTREAM))
  process.stdout.write(`skipped without ${UPSTREAM}: the measurement of the checks\n`);
else await measure().catch(printUnsound);
