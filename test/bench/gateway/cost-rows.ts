import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { listReader } from '../../../scripts/format/build-content.ts';
import { type BuildEntry, listFilesOf } from '../../../scripts/format/dist-format.ts';
import { ROOT } from '../../support/paths.ts';
import { type BenchRow, type Pair, byClock } from '../bench-row.ts';
import { buildGames, readManifests } from '../games.ts';
import { type Contender, compareRates } from './compare.ts';
import { createLoader, LOAD_CORE, SERVER_CORE, sumLoads } from './load.ts';
import { newRosterQueries, rosterQueries } from './queries.ts';
import { startBeside, startGateway } from './servers.ts';
import { startBare, withStage } from './stage.ts';

const CONNECTIONS = 32;
/** How much memory a gateway may use in addition to twice the bytes that it serves. */
const ALLOWANCE_BYTES = 90e6;
const SIZE = { games: 10, characters: 1000 };

/** The p99 latency in ms at a rate of requests a second. The latency of a late request counts from when it was due. */
async function measureLatency(url: string, key: string, rate: number, seconds: number): Promise<number> {
  const program = path.join(ROOT, 'node_modules/autocannon/autocannon.js');
  const options = { R: rate, d: seconds, c: CONNECTIONS, H: `X-API-Key: ${key}` };
  const args = Object.entries(options).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const command = ['-c', String(LOAD_CORE), process.execPath, program, ...args, '--json', url];
  const { stdout } = await promisify(execFile)('taskset', command, { maxBuffer: 1e8 });
  return (JSON.parse(stdout) as { latency: { p99: number } }).latency.p99;
}

/** Writes the lists that a gateway has in memory, those of each game's newest builds, beside dist/. @returns their paths */
async function layOutLists(dist: string, builds: number): Promise<string[]> {
  const files = new Set<string>();
  for (const entry of (await readManifests(dist)).flatMap((manifest) => manifest.builds.slice(-builds))) {
    const read = listReader(entry, ({ file }) => readFile(path.join(dist, file)));
    for (const ref of [entry.roster, entry.characters, ...entry.datasets]) {
      const file = path.join(dist, '../lists', ref.file);
      if (files.has(file)) continue;
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, await read(ref));
      files.add(file);
    }
  }
  return [...files];
}

export const rows: BenchRow[] = [
  {
    name: 'p99 latency at half of saturation',
    beside: 'bare node:http at the same rate',
    unit: 'ms',
    target: { atMost: 2 },
    measure: (options) =>
      withStage(SIZE, async (stage, started) => {
        const { gateway, slug, characters, headers } = stage;
        const load = { paths: rosterQueries(slug, characters, 1), headers };
        const bare = await started(startBare(stage, load));
        const seconds = options.quick ? 1 : 5;
        const loader = createLoader(load, 'load');
        for (const { address } of [bare, gateway]) await loader(address, seconds);
        const rate = Math.round((await loader(gateway.address, seconds)).rate / 2);
        const pairs: Pair[] = [];
        for (let index = 0; index < options.pairs; index++) {
          const measure = (address: string) =>
            measureLatency(address + load.paths[0], headers['X-API-Key'] as string, rate, seconds);
          pairs.push({ ours: await measure(gateway.address), beside: await measure(bare.address) });
        }
        return pairs;
      }),
  },
  {
    name: "gateway's resident memory",
    beside: 'bytes of JSON it serves, plus 90 MB',
    unit: 'bytes',
    target: { atMost: 2 },
    measure: async (options) => {
      const pairs: Pair[] = [];
      for (let index = 0; index < options.pairs; index++) {
        pairs.push(
          await withStage(SIZE, async ({ dist, gateway, slug, characters, headers }) => {
            const paths = newRosterQueries(slug, characters, options.quick);
            await createLoader({ paths, headers }, 'load')(gateway.address, options.quick ? 1 : 5);
            const newest = (await readManifests(dist)).map(({ builds }) => builds.at(-1) as BuildEntry);
            const lists = new Map(newest.flatMap(listFilesOf).map(({ file, bytes }) => [file, bytes]));
            const served = [...lists.values()].reduce((sum, bytes) => sum + bytes, 0);
            return { ours: await gateway.residentBytes(), beside: served + ALLOWANCE_BYTES };
          }),
        );
      }
      return pairs;
    },
  },
  {
    name: 'ready to serve, 100 games × 500 characters, both views',
    beside: 'JSON.parse of the same files',
    quick: '10 games',
    unit: 's',
    target: { atMost: 2 },
    async measure({ quick, pairs: count }) {
      const size = { games: quick ? 10 : 100, characters: 500, builds: 2, embargoed: true };
      const dist = await buildGames(size);
      const list = path.join(dist, '../served.txt');
      await writeFile(list, (await layOutLists(dist, 2)).join('\n'));
      const pairs: Pair[] = [];
      const time = async (start: () => ReturnType<typeof startBeside>) => {
        const begun = performance.now();
        const server = await start();
        const seconds = (performance.now() - begun) / 1000;
        const cpu = await server.cpuSeconds();
        await server.stop();
        return { seconds, cpu };
      };
      for (let index = 0; index < count; index++) {
        const ours = await time(() => startGateway(dist, path.join(dist, '../store')));
        const beside = await time(() => startBeside('parse', [list]));
        pairs.push({ ours: ours.cpu, beside: beside.cpu, detail: byClock(ours.seconds, beside.seconds) });
      }
      return pairs;
    },
  },
  {
    name: 'CPU of a request with two workers, each on a core with its load',
    beside: 'two gateways of one process, in the same way',
    unit: 'µs',
    target: { atMost: 1.1 },
    measure: (options) =>
      withStage(
        SIZE,
        async ({ dist, gateway, slug, characters, headers, store }, started) => {
          const paths = newRosterQueries(slug, characters, options.quick);
          // Two workers need two cores, and there may be no third core for the load. Two busy cores slow each other down. The
          // comparison is with two independent processes, which are slowed down in the same way.
          const cores = [SERVER_CORE, LOAD_CORE];
          const both = createLoader({ paths, headers, cores }, 'both');
          await gateway.spread(cores);
          const alone = await Promise.all(
            cores.map(async (core) => {
              const server = await started(startGateway(dist, store));
              await server.spread([core]);
              return { server, load: createLoader({ paths, headers, cores: [core] }, `core-${core}`) };
            }),
          );
          const measured = await compareRates(
            { server: gateway, load: both },
            besideEachOther(alone),
            options,
          );
          return measured.map(({ detail = {} }) => ({
            ours: detail.oursCpu as number,
            beside: detail.besideCpu as number,
          }));
        },
        { args: ['--workers', '2'] },
      ),
  },
];

/** Several servers that are measured together, each under its own load. */
function besideEachOther(contenders: readonly Contender[]): Contender {
  const [{ server }] = contenders as [Contender];
  return {
    server: {
      address: server.address,
      async cpuSeconds() {
        const used = await Promise.all(contenders.map((contender) => contender.server.cpuSeconds()));
        return used.reduce((sum, seconds) => sum + seconds);
      },
    },
    load: async (_, seconds) =>
      sumLoads(await Promise.all(contenders.map(({ server, load }) => load(server.address, seconds)))),
  };
}
