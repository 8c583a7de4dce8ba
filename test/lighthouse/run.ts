import { parseArgs } from 'node:util';
import { startGateway } from '../support/harness.ts';
import { findFreePort } from '../support/free-port.ts';
import { EXPLORED_GAME } from '../gateway/parts/site/explored-game.ts';
import { launchChromium } from '../gateway/parts/site/visits.ts';
import { type Audited, type Category, hasLighthouse, openLighthouse, TIMELESS } from './audit.ts';
import { findPages } from './pages.ts';

const HELP = `npm run lighthouse                              audits five pages of a small game, and prints medians of five
npm run lighthouse -- http://127.0.0.1:3000    pages of a gateway that runs
  --runs <n>                                    how often each page is audited
It needs Chromium, and npm run lighthouse:install.
`;

const CATEGORIES: readonly Category[] = ['performance', ...TIMELESS];
const HEAD = `| page | first content, ms | ${CATEGORIES.join(' | ')} |
|---${'|--:'.repeat(CATEGORIES.length + 1)}|
`;

/** Audits each page several times, in turn, and prints a row with the medians. */
async function measure(address: string, runs: number): Promise<void> {
  const port = await findFreePort();
  const browser = await launchChromium([`--remote-debugging-port=${port}`]);
  if (!browser) throw new Error('Chromium is not installed');
  try {
    const audit = await openLighthouse(port, CATEGORIES);
    const rows = new Map<string, Audited[]>((await findPages(address)).map((page) => [page, []]));
    for (let run = 0; run < runs; run++)
      for (const [page, results] of rows) results.push(await audit(address + page));
    process.stdout.write(HEAD);
    for (const [page, results] of rows) process.stdout.write(writeRow(page, results));
  } finally {
    await browser.close();
  }
}

function writeRow(page: string, results: readonly Audited[]): string {
  const median = (read: (result: Audited) => number | undefined) => {
    const sorted = results.map((result) => read(result) ?? Number.NaN).sort((a, b) => a - b);
    return Math.round(sorted[sorted.length >> 1] ?? Number.NaN);
  };
  const first = median(({ firstContentMs }) => firstContentMs);
  const scores = CATEGORIES.map((category) => median((result) => result.scores[category]));
  return `| ${[page, first, ...scores].join(' | ')} |\n`;
}

const {
  values,
  positionals: [address],
} = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !hasLighthouse) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 1;
} else if (address !== undefined) await measure(address, Number(values.runs));
else {
  const gateway = await startGateway(EXPLORED_GAME);
  await measure(gateway.address, Number(values.runs)).finally(gateway.stop);
}
