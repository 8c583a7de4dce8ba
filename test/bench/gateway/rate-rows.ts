import type { GamesSize } from '../games.ts';
import type { BenchRow, Pair } from '../report.ts';
import { compareRates, createLoader, type Load } from './load.ts';
import {
  compareQueries,
  globalSearchQueries,
  newRosterQueries,
  newSearchQueries,
  newTypoQueries,
  rosterQueries,
  setsOf,
} from './queries.ts';
import { type BenchServer, startBeside, startGateway } from './servers.ts';
import { checkSame, issueKeys, type Stage, startBare, withStage } from './stage.ts';

type Options = Parameters<BenchRow['measure']>[0];

/** Ten games, or one that is larger. */
const sizeOf = (characters = 1000): GamesSize => ({ games: characters === 1000 ? 10 : 1, characters });

/** Compares the gateway with a bare node:http server that sends the same head and as many bytes. */
function besideBare(describe: (stage: Stage, options: Options) => Load, size = sizeOf()) {
  return (options: Options): Promise<Pair[]> =>
    withStage(size, async (stage, started) => {
      const { paths, headers } = describe(stage, options);
      const load = { paths, headers: { ...stage.headers, ...headers } };
      const bare = await started(startBare(stage, load));
      const loader = createLoader(load, 'load');
      return await compareRates(
        { server: stage.gateway, load: loader },
        { server: bare, load: loader },
        options,
      );
    });
}

/** Compares the roster query with another program that has the same entries, and that has to send the same bytes. */
function besideProgram(
  program: string,
  { translate = String, coding }: { translate?: (address: string) => string; coding?: string } = {},
) {
  return (options: Options): Promise<Pair[]> =>
    withStage(sizeOf(), async (stage, started) => {
      const { roster, gateway, slug, characters, headers } = stage;
      const other = await started(
        startBeside(program, coding === undefined ? [roster] : [roster, 'compress']),
      );
      const paths = newRosterQueries(slug, characters, options.quick);
      const accept: Record<string, string> = coding === undefined ? {} : { 'Accept-Encoding': coding };
      const load = { paths, headers: { ...headers, ...accept } };
      return await compareSame(
        { server: gateway, load },
        { server: other, load: { paths: paths.map(translate), headers: accept } },
        options,
      );
    });
}

/** Compares two servers, after checking that they send the same bytes. */
async function compareSame(
  ours: { server: BenchServer; load: Load },
  beside: { server: BenchServer; load: Load },
  options: Options,
): Promise<Pair[]> {
  await checkSame(ours, beside);
  return await compareRates(
    { server: ours.server, load: createLoader(ours.load, 'load') },
    { server: beside.server, load: createLoader(beside.load, 'load-beside') },
    options,
  );
}

/** Compares two loads on the same gateway. */
function besideItself(describe: (stage: Stage, options: Options) => { ours: Load; beside: Load }) {
  return (options: Options): Promise<Pair[]> =>
    withStage(sizeOf(), async (stage) => {
      const { ours, beside } = describe(stage, options);
      const contend = ({ paths, headers }: Load, name: string) => ({
        server: stage.gateway,
        load: createLoader({ paths, headers: { ...stage.headers, ...headers } }, name),
      });
      return await compareRates(contend(ours, 'load'), contend(beside, 'load-beside'), options);
    });
}

/** Makes the call of an MCP tool that stands for a roster query, as requests.lua reads it. */
function toMcpCall(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://x');
  const { sort, limit, ...filters } = Object.fromEntries(searchParams);
  const filter = Object.entries(filters).map(([name, value]) => `${name}=${value}`);
  const given = { game: pathname.split('/')[2], filter, sort, limit: Number(limit) };
  const params = { name: 'query_dataset', arguments: given };
  return `/mcp\t\t${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}`;
}

/** Enough that no account sends many more requests a minute than the shipped caps allow. */
const ACCOUNTS = 24_000;

/** Compares roster queries with the keys of many free accounts and with the keys of as many Pro accounts. */
async function measureQuota(options: Options): Promise<Pair[]> {
  const use = async ({ gateway, slug, characters, store }: Stage): Promise<Pair[]> => {
    const paths = newRosterQueries(slug, characters, options.quick);
    const loadOf = async (tier: 'free' | 'pro') => {
      const keys = await issueKeys(store, tier, ACCOUNTS);
      return createLoader({ paths: keys.map((key, at) => `${paths[at % paths.length]}\t${key}`) }, tier);
    };
    const free = { server: gateway, load: await loadOf('free') };
    return await compareRates(free, { server: gateway, load: await loadOf('pro') }, options);
  };
  return await withStage(sizeOf(), use);
}

const newQuery = besideBare(({ slug, characters }, options) => ({
  paths: newRosterQueries(slug, characters, options.quick),
}));

/** More searches over all games than are sent while a row is measured. */
const SEARCHES = 100_000;
/** In 3 languages, each in a script of its own; and in 15, as the shipped game has them, where half of the names are the same in several. */
const searchRows = [3, 15].flatMap((languages): BenchRow[] => {
  const size = { games: 1, characters: 2000, languages };
  return [
    {
      name: `name search q, 2,000 characters, ${languages} languages, another query every time`,
      beside: 'bare node:http, same bytes',
      target: { atLeast: languages === 3 ? 0.5 : 0.2 },
      measure: besideBare(
        ({ slug, characters }, options) => ({ paths: newSearchQueries(slug, characters, options.quick) }),
        size,
      ),
    },
    {
      name: `name search q with a typo, 2,000 characters, ${languages} languages, another query every time`,
      beside: 'bare node:http, same bytes',
      target: { atLeast: languages === 3 ? 0.2 : 0.1 },
      measure: besideBare(
        ({ slug, characters }, options) => ({ paths: newTypoQueries(slug, characters, options.quick) }),
        size,
      ),
    },
  ];
});

export const rows: BenchRow[] = [
  {
    name: 'roster: two filters, sort, limit 20, another query every time, Pro key',
    beside: 'bare node:http, same bytes',
    target: { atLeast: 0.55 },
    measure: newQuery,
  },
  {
    name: 'the same with --workers 2',
    beside: 'in one process',
    target: { atLeast: 0.9 },
    measure: (options) =>
      withStage(sizeOf(), async ({ dist, store, gateway, slug, characters, headers }, started) => {
        const workers = await started(startGateway(dist, store, 2));
        const paths = newRosterQueries(slug, characters, options.quick);
        const load = createLoader({ paths, headers }, 'load');
        return await compareRates({ server: workers, load }, { server: gateway, load }, options);
      }),
  },
  {
    name: 'roster: the same query again and again',
    beside: 'bare node:http, same bytes',
    target: { atLeast: 0.85 },
    measure: besideBare(({ slug, characters }) => ({ paths: rosterQueries(slug, characters, 1) })),
  },
  {
    name: 'roster query',
    beside: 'polka with filter, sort, JSON.stringify per request, same bytes',
    target: { atLeast: 4 },
    measure: besideProgram('polka'),
  },
  {
    name: 'roster query, gzip asked for, another query every time',
    beside: 'the same, not compressed',
    target: { atLeast: 0.25 },
    measure: besideItself(({ slug, characters }, { quick }) => {
      const paths = newRosterQueries(slug, characters, quick);
      return { ours: { paths, headers: { 'Accept-Encoding': 'gzip' } }, beside: { paths } };
    }),
  },
  {
    name: 'free key, quota counted, in a folder',
    beside: 'Pro key',
    target: { atLeast: 0.85 },
    measure: (options) => measureQuota(options),
  },
  {
    name: 'revalidation, 304',
    beside: 'bare node:http sending 304',
    target: { atLeast: 0.75 },
    measure: (options) =>
      withStage(sizeOf(), async (stage, started) => {
        const paths = rosterQueries(stage.slug, stage.characters, 1);
        const known = await fetch(stage.gateway.address + paths[0], {
          headers: { ...stage.headers, 'Accept-Encoding': 'identity' },
        });
        const headers = { ...stage.headers, 'If-None-Match': known.headers.get('etag') as string };
        const bare = await started(startBare(stage, { paths, headers }));
        const load = createLoader({ paths, headers }, 'load');
        return await compareRates({ server: stage.gateway, load }, { server: bare, load }, options);
      }),
  },
  {
    name: 'a call of query_dataset by MCP, another query every time',
    beside: 'the same as a request of the API',
    target: { atLeast: 0.33 },
    measure: besideItself(({ slug, characters }, { quick }) => {
      const paths = newRosterQueries(slug, characters, quick);
      const headers = {
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': '2025-06-18',
      };
      return { ours: { paths: paths.map(toMcpCall), headers }, beside: { paths } };
    }),
  },
  ...searchRows,
  {
    name: 'search over all games, 10 games × 1,000 characters and their datasets, half with a typo',
    beside: 'bare node:http, same bytes',
    target: { atLeast: 0.06 },
    measure: besideBare(({ characters }) => ({ paths: globalSearchQueries(characters, SEARCHES) })),
  },
  {
    name: 'one record by id',
    beside: 'bare node:http, same bytes',
    target: { atLeast: 0.6 },
    measure: besideBare(({ slug, characters }) => ({
      paths: characters.map(({ id }) => `/api/${slug}/characters/${String(id)}`),
    })),
  },
  {
    name: 'compare of 6, another set every time',
    beside: 'bare node:http, same bytes',
    target: { atLeast: 0.6 },
    measure: besideBare(({ slug, characters }, options) => ({
      paths: compareQueries(slug, characters, setsOf(options.quick)),
    })),
  },
  {
    name: 'roster query at 10,000 characters, same page',
    beside: 'at 1,000',
    quick: '5,000 characters',
    target: { atLeast: 0.7 },
    measure: (options) =>
      withStage({ games: 1, characters: options.quick ? 5000 : 10_000 }, (large) =>
        withStage({ games: 1, characters: 1000 }, (small) => {
          const contend = ({ gateway, slug, characters, headers }: Stage, name: string) => {
            const paths = newRosterQueries(slug, characters, options.quick);
            return { server: gateway, load: createLoader({ paths, headers }, name) };
          };
          return compareRates(contend(large, 'large'), contend(small, 'small'), options);
        }),
      ),
  },
];
