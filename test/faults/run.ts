import { parseArgs } from 'node:util';
import { createRandom } from '../support/create-random.ts';
import { findProgram } from '../support/skip.ts';
import { type Campaign, type Figures, isSound } from './campaign.ts';
import { campaign as clocks } from './clocks.ts';
import { campaign as damagedStores } from './damaged-stores.ts';
import { campaign as fullDisks } from './full-disks.ts';
import { campaign as interruptedBuilds } from './interrupted-builds.ts';
import { campaign as killedGateways } from './killed-gateways.ts';
import { campaign as lostRedis } from './lost-redis.ts';
import { campaign as malformedRequests } from './malformed-requests.ts';
import { campaign as overload } from './overload.ts';
import { formatFigures } from './report.ts';
import { campaign as restarts } from './restarts.ts';
import { campaign as swaps } from './swaps.ts';

const HELP = `npm run faults -- [--short] [--only <text>]... [--seconds <number>] [--seed <number>]

Repeatedly causes faults in the real programs, and counts what must not happen. All columns after "tried" must be 0.
  --short    3 seconds for each campaign; all take less than a minute
  --only     only the campaigns whose name contains the text
  --seconds  how long each campaign lasts (default: 60)
  --seed     repeats the random choices of an earlier run
`;

const CAMPAIGNS: readonly Campaign[] = [
  interruptedBuilds,
  fullDisks,
  killedGateways,
  restarts,
  lostRedis,
  damagedStores,
  malformedRequests,
  overload,
  swaps,
  clocks,
];

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function runCampaigns(): Promise<void> {
  const seconds = Number(options.seconds ?? (options.short ? 3 : 60));
  const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
  const results: { name: string; seconds: number; figures: Figures | string }[] = [];
  const failures: string[] = [];
  process.stderr.write(`seed: ${seed}\n`);
  for (const { name, about, needs, lacks, run } of CAMPAIGNS) {
    if (options.only.length > 0 && !options.only.some((text) => name.includes(text))) continue;
    const missing = lacks ?? needs.find((program) => findProgram(program) === undefined);
    process.stderr.write(`${name}: ${missing ? `skipped without ${missing}` : about}\n`);
    if (missing) continue;
    const started = performance.now();
    let end = Number.POSITIVE_INFINITY;
    const terms = {
      // The time starts with the first round, so that each campaign has a round even on a slow machine.
      isOver: () => {
        const isFirst = end === Number.POSITIVE_INFINITY;
        if (isFirst) end = performance.now() + seconds * 1000;
        return !isFirst && performance.now() > end;
      },
      random: createRandom(seed),
      report: (failure: string) => failures.push(`${name}: ${failure}`),
    };
    const figures = await run(terms).catch((error: Error) => error.stack ?? error.message);
    results.push({ name, seconds: (performance.now() - started) / 1000, figures });
  }
  process.stdout.write(formatFigures(results));
  for (const failure of failures.slice(0, 50)) process.stdout.write(`${failure}\n`);
  const isAllSound = results.every(({ figures }) => typeof figures !== 'string' && isSound(figures));
  if (!isAllSound) {
    process.stdout.write(`\nRun it again with the same choices: npm run faults -- --seed ${seed}\n`);
    process.exitCode = 1;
  }
}

// Servers end when this process exits.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

if (options.help) process.stdout.write(HELP);
else await runCampaigns();
