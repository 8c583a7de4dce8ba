import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Catalog, loadCatalog, openCatalog } from '../../../gateway/data/catalog.ts';
import { readIndex, readManifest } from '../../../gateway/data/dist-folder.ts';
import { Raiser } from '../../../gateway/people/alerts/events/raise.ts';
import { openStore } from '../../../gateway/store/open-store.ts';
import { INDEX_FILE, type Index, type Manifest } from '../../../scripts/format/dist-format.ts';
import { QUIET } from '../../support/quiet.ts';
import type { BenchRow, Pair } from '../bench-row.ts';
import { buildGames, readManifests } from '../games.ts';

const BUILDS = 100;

interface Swap {
  cpu: number;
  /** The longest tick of the event loop, in ms of processor time. */
  tick: number;
}

/** Seconds of processor time, and ms. A swap loads the new state, makes the views of all tiers, and plans the alerts. */
export const rows: BenchRow[] = [
  {
    name: 'swap of 1 of 1,000 games with 100 builds each, seconds of processor time',
    beside: 'loading all games',
    quick: '50 games',
    unit: 's',
    target: { atMost: 0.1 },
    measure: (options) => measure(options, ({ swap, first }) => ({ ours: swap.cpu, beside: first.cpu })),
  },
  {
    name: 'swap of 1 of 1,000 games with 100 builds each, longest tick in ms of processor time',
    beside: '10 ms',
    quick: '50 games',
    unit: 'ms',
    target: { atMost: 1 },
    measure: (options) => measure(options, ({ swap }) => ({ ours: swap.tick, beside: 10 })),
  },
];

async function measure(
  { quick, pairs }: { quick: boolean; pairs: number },
  choose: (measured: { swap: Swap; first: Swap }) => Pair,
): Promise<Pair[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'swap-'));
  const store = await openStore(path.join(folder, 'store'), { log: QUIET });
  try {
    const dist = path.join(folder, 'dist');
    await multiply(await buildGames({ games: 1, characters: 10 }), dist, quick ? 50 : 1000);
    const follower = { folder: dist, catalog: undefined as Catalog | undefined };
    const raiser = new Raiser({ follower: follower as never, store, log: QUIET, now: Date.now });
    const take = async (catalog: Catalog) => {
      follower.catalog = catalog;
      for (const tier of ['free', 'pro'] as const) catalog.viewAt(Date.now(), tier);
      await raiser.raise();
    };
    // Once for all pairs: it takes a thousand times as long as a swap.
    const first = await costOf(async () => await take(await openCatalog(dist, Date.now())));
    const measured: Pair[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      await changeOne(dist, pair);
      const swap = await costOf(async () => {
        const options = { now: Date.now(), previous: follower.catalog };
        await take(await loadCatalog(dist, await readIndex(dist), options));
      });
      measured.push(choose({ swap, first }));
    }
    return measured;
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Makes many games with many builds of one game: all builds have the same files. */
export async function multiply(from: string, to: string, games: number, buildCount = BUILDS): Promise<void> {
  const [model] = (await readManifests(from)) as [Manifest];
  const [entry] = model.builds as [Manifest['builds'][0]];
  const index = await readIndex(from);
  await cp(path.join(from, model.slug), path.join(to, model.slug), { recursive: true });
  const builds = Array.from({ length: buildCount }, (_, at) => {
    const released_at = new Date(Date.UTC(2020, 0, 1 + at)).toISOString();
    return { ...entry, build: `b${at}`, released_at };
  });
  const named = [];
  for (let game = 0; game < games; game++) {
    const slug = `game-${1000 + game}`;
    named.push({ slug, manifest: await writeManifest(to, { ...model, slug, builds }) });
  }
  await writeFile(path.join(to, INDEX_FILE), JSON.stringify({ ...index, games: named }));
}

async function changeOne(dist: string, count: number): Promise<void> {
  const index = await readIndex(dist);
  const [game, ...others] = index.games;
  const first = await readManifest(dist, (game as Index['games'][0]).manifest);
  const manifest = await writeManifest(dist, { ...first, title: `Changed ${count}` });
  const games = [{ slug: game?.slug, manifest }, ...others];
  await writeFile(path.join(dist, INDEX_FILE), JSON.stringify({ ...index, games }));
}

async function writeManifest(dist: string, manifest: Manifest) {
  const bytes = Buffer.from(JSON.stringify(manifest));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = `${manifest.slug}/manifest.${sha256.slice(0, 32)}.json`;
  await mkdir(path.join(dist, manifest.slug), { recursive: true });
  await writeFile(path.join(dist, file), bytes);
  return { file, bytes: bytes.length, sha256 };
}

/** Measures work of this process. @returns seconds of processor time, and the longest event-loop tick */
export async function costOf(work: () => Promise<void>): Promise<Swap> {
  let tick = 0;
  let isOver = false;
  let last = threadMs();
  const watch = () => {
    const now = threadMs();
    tick = Math.max(tick, now - last);
    last = now;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  isOver = true;
  return { cpu: (user + system) / 1e6, tick };
}

/** The processor time of this thread, in ms: other threads and processes would lengthen the ticks. Linux only, as the whole bench. */
function threadMs(): number {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
