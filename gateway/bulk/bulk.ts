import { type ApiRequest, findGame, type Services } from '../api/route.ts';
import { findBuild } from '../api/snapshot.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Account } from '../access/account.ts';
import type { Limits } from '../access/counters.ts';
import type { FileResult } from '../http/send-file.ts';
import { type Limit, useLimits } from '../store/limits.ts';
import { countUse } from '../access/quota.ts';
import { type NetworkWidth, networksOf } from '../networks/networks.ts';
import { readChoice } from './choice.ts';
import { downloadOf } from './download.ts';
import type { Spreadsheet } from './spreadsheet.ts';

/** What a free account may download, of all games and formats together. */
const FREE_DOWNLOADS: Limits = { minute: 1, day: 1 };
const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;
/** What all free accounts of a network may download. */
const NETWORK_DOWNLOADS: Record<NetworkWidth, Limit> = {
  connection: { atOnce: 4, everyMs: 6 * HOUR_MS },
  customer: { atOnce: 6, everyMs: 4 * HOUR_MS },
  site: { atOnce: 12, everyMs: 2 * HOUR_MS },
};

/**
 * Responds with the newest build.
 *
 * @throws ParameterError, HttpProblem
 */
export function respondWithBuild(request: ApiRequest, services: Services): FileResult | Spreadsheet {
  const choice = readChoice(request.query);
  const game = findGame(request);
  const download = downloadOf(game, findBuild(request.view, game, 'latest'), choice, services);
  const { caller, client = '' } = request;
  if (caller?.tier !== 'free') return download;
  if ('body' in download)
    return {
      ...download,
      async body() {
        const body = await download.body();
        await countDownload(services, caller.account, client);
        return body;
      },
    };
  return {
    ...download,
    // Only what is sent counts: not a 304, and not a file that cannot be read.
    async open(ref) {
      const file = await download.open(ref);
      try {
        await countDownload(services, caller.account, client);
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  };
}

/**
 * @param client the IP address of the client
 * @throws HttpProblem `quota-exceeded` for the second download of a day, and if the network has used its downloads
 */
async function countDownload({ store }: Services, account: Account, client: string): Promise<void> {
  const accountUse = await countUse(store, { what: 'bulk', account, limits: FREE_DOWNLOADS });
  if (!accountUse.isAllowed) {
    const detail =
      'this account has downloaded a whole build today, and a free account may download one in a UTC day';
    throw tooMany('bulk', detail, accountUse.seconds);
  }
  const uses = networksOf(client).map(({ network, width }) => ({
    name: `bulk ${network}`,
    limit: NETWORK_DOWNLOADS[width],
  }));
  const shared = await useLimits(store, uses).catch(async (error: unknown) => {
    await accountUse.takeBack().catch(() => {});
    throw error;
  });
  if (shared.isAllowed) return;
  await accountUse.takeBack();
  const detail = 'free accounts on your network have downloaded as many whole builds as a network may';
  throw tooMany('bulk-network', detail, shared.seconds);
}

function tooMany(policy: 'bulk' | 'bulk-network', why: string, seconds: number): HttpProblem {
  const most = policy === 'bulk' ? FREE_DOWNLOADS.day : NETWORK_DOWNLOADS.connection.atOnce;
  return new HttpProblem(
    'quota-exceeded',
    `${why}; the next one is admitted in ${seconds} s. Lists and single records can still be read`,
    { 'violated-policies': [policy] },
    {
      'RateLimit-Policy': `"${policy}";q=${most};w=${DAY_SECONDS}`,
      RateLimit: `"${policy}";r=0;t=${seconds}`,
      'Retry-After': seconds,
    },
  );
}
