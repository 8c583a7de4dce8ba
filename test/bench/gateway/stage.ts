import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Tier } from '../../../gateway/access/account.ts';
import { openStore } from '../../../gateway/store/open.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { issueKey } from '../../support/issue-key.ts';
import { BENCH_FOLDER, buildGames, type GamesSize, readJson, readNewestBuild, slugOf } from '../games.ts';
import type { FixedResponse } from './beside/bare.ts';
import type { Load } from './load.ts';
import { firstOf } from './queries.ts';
import { type BenchServer, startBeside, startGateway } from './servers.ts';

/** A gateway over generated games, with what a row needs to know about them. */
export interface Stage {
  folder: string;
  dist: string;
  gateway: BenchServer;
  /** The game to which requests are sent, and its characters. */
  slug: string;
  characters: JsonObject[];
  /** A Pro key, as a header. */
  headers: Record<string, string>;
  /** The address of the store. */
  store: string;
  /** The file with the entries of the game's roster, which is what the gateway sends of a character in a list. */
  roster: string;
}

/** The servers that are measured, and the requests that each gets. */
export type Use<T> = (
  stage: Stage,
  started: (server: Promise<BenchServer>) => Promise<BenchServer>,
) => Promise<T>;

/** Sets up a stage for a measurement. Afterwards, ends every server that was started on it. */
export async function withStage<T>(size: GamesSize, use: Use<T>): Promise<T> {
  const dist = await buildGames(size);
  const folder = await mkdtemp(path.join(BENCH_FOLDER, 'stage-'));
  const store = path.join(folder, 'store');
  const servers: BenchServer[] = [];
  const started = async (starting: Promise<BenchServer>) => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  try {
    const slug = slugOf(0);
    const build = await readNewestBuild(dist, slug);
    const characters = await readJson<JsonObject[]>(dist, build.characters);
    const roster = path.join(dist, build.roster.file);
    const [key = ''] = await issueKeys(store, 'pro', 1);
    const headers = { 'X-API-Key': key };
    const gateway = await started(startGateway(dist, store));
    return await use({ folder, dist, gateway, slug, characters, headers, store, roster }, started);
  } finally {
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Issues keys to this many accounts of a tier. */
export async function issueKeys(address: string, tier: Tier, count: number): Promise<string[]> {
  const store = await openStore(address);
  try {
    const keys: string[] = [];
    for (let index = 0; index < count; index++) {
      const email = `${tier}-${index}@example.org`;
      keys.push((await issueKey(store, { email, grant: { tier, pro_until: null } })).secret);
    }
    // The gateway would send them during the measurement.
    await store.fast.run('DELETE FROM mails');
    return keys;
  } finally {
    await store.close();
  }
}

/** How many responses are requested to find one of average length. */
const SAMPLE = 50;
/** The headers that node:http adds. */
const ADDED = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Starts a bare node:http server whose response is like the gateway's: the same head, and the gateway's average number of bytes. */
export async function startBare(
  { folder, gateway }: Stage,
  { paths, headers = {} }: Load,
): Promise<BenchServer> {
  const asked = paths.slice(0, SAMPLE).map((path) => ask(gateway.address + firstOf(path), headers));
  const responses: FixedResponse[] = await Promise.all(asked);
  const lengths = responses.map(({ body }) => body.length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const distance = ({ body }: FixedResponse) => Math.abs(body.length - average);
  const usual = responses.reduce((best, response) => (distance(response) < distance(best) ? response : best));
  const file = path.join(folder, 'response.json');
  await writeFile(file, JSON.stringify(usual));
  return await startBeside('bare', [file]);
}

/** A server, and requests to it. */
interface Asked {
  server: Pick<BenchServer, 'address'>;
  load: Load;
}

/** Checks that two servers send the same bytes, in the same coding. @throws Error if a response differs: then they cannot be compared */
export async function checkSame(ours: Asked, beside: Asked): Promise<void> {
  for (let at = 0; at < Math.min(SAMPLE, ours.load.paths.length); at++) {
    const [a, b] = await Promise.all(
      [ours, beside].map(async ({ server, load: { paths, headers = {} } }) => {
        const url = server.address + firstOf(paths[at % paths.length] as string);
        return { url, response: await ask(url, headers) };
      }),
    );
    if (a === undefined || b === undefined || describe(a.response) === describe(b.response)) continue;
    const told = [a, b].map(({ url, response }) => `${url}\n${describe(response).slice(0, 600)}`);
    throw new Error(`the two send different responses:\n${told.join('\n')}`);
  }
}

/** What has to be the same: status, content coding and the decoded body. */
function describe({ status, headers, body }: FixedResponse): string {
  const coding = headers['content-encoding'] ?? 'identity';
  const bytes = Buffer.from(body, 'base64');
  const decoded =
    coding === 'gzip' ? gunzipSync(bytes) : coding === 'br' ? brotliDecompressSync(bytes) : bytes;
  return `${status} ${coding} ${String(decoded)}`;
}

/** Requests a response and does not decode it, as fetch would. */
async function ask(url: string, headers: Record<string, string>): Promise<FixedResponse> {
  return await new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const fields = Object.entries(response.headers).filter(([name]) => !ADDED.has(name));
        const { statusCode: status = 0 } = response;
        const body = Buffer.concat(parts).toString('base64');
        resolve({ status, headers: Object.fromEntries(fields) as Record<string, string>, body });
      });
    });
    request.on('error', reject);
  });
}
