import { countUse } from '../../access/count-use.ts';
import { HttpProblem } from '../../http/problem.ts';
import type { Limits } from '../../plans/counters.ts';
import type { Store } from '../../store/store.ts';
import { CHOICE, DOWNLOAD_TYPES, downloadOf, readChoice } from './download.ts';
import { findBuild } from './find-build.ts';
import { findGame, type Route } from './route.ts';

/** What a free account may download, of all games and formats together. */
const FREE_DOWNLOADS: Limits = { minute: 1, day: 1 };
const DAY_SECONDS = 86_400;

export const bulkRoute: Route = {
  path: '/api/:game/bulk',
  operationId: 'getBulk',
  summary: 'The newest build whole',
  description:
    'The newest build that the key may see: all full records and all datasets except the generated ones. A free account may download one in a UTC day, of any game and format; the ' +
    'second is a 429 with the policy `bulk`. Every 200 and 206 counts, also those for HEAD; a 304 does not. `snapshot` has all builds, for Pro.',
  needsKey: true,
  isPersonal: true,
  isFile: true,
  parameters: CHOICE,
  result: 'Snapshot',
  alternatives: DOWNLOAD_TYPES,
  problems: ['unknown-game', 'not-found', 'range-not-satisfiable'],
  handle(request, services) {
    const choice = readChoice(request.query);
    const game = findGame(request);
    const download = downloadOf(game, findBuild(game, 'latest'), choice, services);
    const { caller } = request;
    if (caller?.tier !== 'free') return download;
    const { id } = caller.account;
    return {
      ...download,
      // Only what is sent counts: not a 304, and not a file that cannot be read.
      async open(ref) {
        const file = await download.open(ref);
        try {
          await countDownload(services.store, id);
          return file;
        } catch (error) {
          await file.close();
          throw error;
        }
      },
    };
  },
};

/** @throws HttpProblem `quota-exceeded` for the second download of a day */
async function countDownload(store: Store, account: string): Promise<void> {
  const seconds = await countUse(store, `bulk ${account}`, FREE_DOWNLOADS);
  if (seconds === undefined) return;
  throw new HttpProblem(
    'quota-exceeded',
    `this account has downloaded a whole build today, and a free account may download one in a UTC day; the next one is admitted in ${seconds} s. Lists and single records can still be read`,
    { 'violated-policies': ['bulk'] },
    {
      'RateLimit-Policy': `"bulk";q=1;w=${DAY_SECONDS}`,
      RateLimit: `"bulk";r=0;t=${seconds}`,
      'Retry-After': seconds,
    },
  );
}
