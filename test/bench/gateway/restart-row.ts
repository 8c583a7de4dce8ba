import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Catalog, loadCatalog, openCatalog } from '../../../gateway/data/catalog.ts';
import { SourceFileError } from '../../../gateway/mirror/dist-source.ts';
import { mirrorDist } from '../../../gateway/mirror/mirror-dist.ts';
import { QUIET } from '../../support/quiet.ts';
import type { BenchRow, Pair } from '../bench-row.ts';
import { buildGames } from '../games.ts';
import { costOf, multiply } from './swap-rows.ts';

/** No second look at the source while the row is measured. */
const INTERVAL_MS = 3_600_000;

/** Seconds of processor time. A restart compares the copy with its source, and loads all games from it. */
export const rows: BenchRow[] = [
  {
    name: 'restart of a gateway with a copy of 1,000 games, seconds of processor time',
    beside: 'loading these games from a folder',
    quick: '50 games',
    unit: 's',
    target: { atMost: 1.2 },
    measure: ({ quick, pairs }) => measureRestarts(quick ? 50 : 1000, pairs),
  },
];

async function measureRestarts(games: number, pairs: number): Promise<Pair[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'restart-'));
  const [dist, cache] = [path.join(folder, 'dist'), path.join(folder, 'cache')];
  try {
    await multiply(await buildGames({ games: 1, characters: 100 }), dist, games, 1);
    await startCopy(dist, cache);
    const measured: Pair[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const loading = await costOf(async () => void (await openCatalog(dist, Date.now())));
      const restart = await costOf(() => startCopy(dist, cache));
      const detail = { 'longest tick in ms': restart.tick };
      measured.push({ ours: restart.cpu, beside: loading.cpu, detail });
    }
    return measured;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function startCopy(dist: string, cache: string): Promise<void> {
  let catalog: Catalog | undefined;
  const mirror = await mirrorDist(
    { name: 'bench', read: (file) => readFile(path.join(dist, file)).catch(() => refuse(file)) },
    cache,
    {
      tryState: async (index) => {
        catalog = await loadCatalog(cache, index, { now: Date.now(), previous: undefined });
        return catalog.failures;
      },
      log: QUIET,
      interval: INTERVAL_MS,
    },
  );
  mirror.close();
  if (catalog === undefined) throw new Error('the copy was not loaded');
}

function refuse(file: string): never {
  throw new SourceFileError(`no ${file}`, true);
}
