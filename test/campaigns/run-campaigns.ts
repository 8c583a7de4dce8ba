import { parseArgs } from 'node:util';
import { createRandom } from '../support/create-random.ts';
import { findProgram } from '../support/skip.ts';
import type { Campaign, CampaignProgram, Terms } from './campaign.ts';

const DEFAULT_SECONDS = 60;
/** How many failures are shown. */
const MAX_FAILURES = 50;

/** Runs the campaigns that the command line chooses, and prints their figures. The exit code is 1 unless all are sound. */
export async function runCampaigns<Figures>(program: CampaignProgram<Figures>): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    process.stdout.write(helpOf(program));
    return;
  }
  // Servers end when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const seconds = Number(options.seconds ?? DEFAULT_SECONDS);
  const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
  process.stderr.write(`seed: ${seed}\n`);
  const chosen = program.campaigns.filter(
    ({ name }) => options.only.length === 0 || options.only.some((text) => name.includes(text)),
  );
  const failures: string[] = [];
  const results: Result<Figures>[] = [];
  for (const campaign of chosen) {
    const result = await runCampaign(campaign, { seconds, seed, failures });
    if (!result) continue;
    results.push(result);
    process.stderr.write(`${campaign.name}: ${result.seconds.toFixed(0)} s\n`);
  }
  process.stdout.write(formatFigures(results, program.headings));
  for (const failure of failures.slice(0, MAX_FAILURES)) process.stdout.write(`${failure}\n`);
  if (failures.length > MAX_FAILURES) process.stdout.write(`and ${failures.length - MAX_FAILURES} more\n`);
  if (results.every(({ figures }) => typeof figures !== 'string' && program.isSound(figures))) return;
  process.stdout.write(`\nRun it again with the same choices: npm run ${program.name} -- --seed ${seed}\n`);
  // What a campaign that was not finished left running would not let this process end.
  process.exit(1);
}

/** @returns undefined if something is missing that the campaign needs */
async function runCampaign<Figures>(
  { name, about, needs, lacks, rounds: least = 1, run }: Campaign<Figures>,
  { seconds, seed, failures }: { seconds: number; seed: number; failures: string[] },
): Promise<Result<Figures> | undefined> {
  const missing = lacks ?? needs.find((program) => findProgram(program) === undefined);
  process.stderr.write(`${name}: ${missing ? `skipped without ${missing}` : about}\n`);
  if (missing) return undefined;
  const started = performance.now();
  let end = Number.POSITIVE_INFINITY;
  let rounds = 0;
  const terms: Terms = {
    // The time starts with the first round. What is proved depends on the rounds, not on the speed of the machine.
    isOver() {
      if (rounds === 0) end = performance.now() + seconds * 1000;
      return rounds++ >= least && performance.now() > end;
    },
    random: createRandom(seed),
    report: (failure) => failures.push(`${name}: ${failure}`),
  };
  const figures = await run(terms).catch((error: Error) => error.stack ?? error.message);
  return { name, seconds: (performance.now() - started) / 1000, figures };
}

function helpOf({ name, about }: Pick<CampaignProgram<unknown>, 'name' | 'about'>) {
  return `npm run ${name} -- [--only <text>]... [--seconds <number>] [--seed <number>]

${about}
  --only     only the campaigns whose name contains the text
  --seconds  how long each campaign lasts at least (default: ${DEFAULT_SECONDS})
  --seed     repeats the random choices of an earlier run
`;
}

/** The result of a campaign. If it could not be finished, it has the text of the error instead of figures. */
interface Result<Figures> {
  name: string;
  seconds: number;
  figures: Figures | string;
}

/** The results as a table in Markdown, which can be read on a terminal as well. A figure that does not matter for a campaign is undefined. */
function formatFigures<Figures>(
  results: readonly Result<Figures>[],
  headings: { readonly [Name in keyof Figures]-?: string },
): string {
  const names = Object.keys(headings) as (keyof Figures)[];
  const head = ['campaign', 'seconds', ...names.map((name) => headings[name])];
  const rows = results.map(({ name, seconds, figures }) => {
    if (typeof figures === 'string') return [name, seconds.toFixed(0), `not finished: ${figures}`];
    return [name, seconds.toFixed(0), ...names.map((column) => String(figures[column] ?? ''))];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
