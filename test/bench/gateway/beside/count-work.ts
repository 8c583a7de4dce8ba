import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { WorkBudget } from '../../../../gateway/limits/client-limits.ts';
import { readKey } from '../../../../gateway/access/api-key.ts';
import { findKey } from '../../../../gateway/store/accounts/accounts.ts';
import { holderOf } from '../../../../gateway/access/account.ts';
import { COSTLY_GAME } from '../../../attack/costly-game.ts';
import { startGateway } from '../../../support/harness.ts';
import type { Pair } from '../../bench-row.ts';

// Prints, for each measurement of a query, the work that was counted and the processor time of the event loop's thread, in microseconds a request.
// `#` in the query is another number in each request, and `@` other sort keys, so that nothing is kept.

const [query = '', coding = 'identity', requests = '', pairs = ''] = process.argv.slice(2);
const LONG = 30_000;

/** What another thread runs, so that the client's time does not count. */
const CLIENT = `
  const { parentPort, workerData: { address, headers } } = require('node:worker_threads');
  const http = require('node:http');
  const agent = new http.Agent({ keepAlive: true });
  let number = 0;
  const SORTS = ['a', 'b', 'c', 'd', 'e'].flatMap((one, at, all) => all.filter((other) => other !== one).flatMap((other) =>
    ['', '-'].flatMap((x) => ['', '-'].flatMap((y) => all.filter((third) => third !== one && third !== other).map((third) => x + one + ',' + y + other + ',' + third)))));
  const ask = (query) => new Promise((resolve, reject) =>
    http.get(address + query.replace('@', SORTS[number % SORTS.length]).replaceAll('#', String(number++)), { agent, headers }, (response) =>
      response.on('data', () => {}).on('end', () => response.statusCode < 300 ? resolve() : reject(new Error(String(response.statusCode))))).on('error', reject));
  parentPort.on('message', async ({ query, count }) => {
    for (let at = 0; at < count; at++) await ask(query);
    parentPort.postMessage('done');
  });`;

/** How long the event loop's thread has run, in microseconds. */
function threadMicros(): number {
  // Makes the kernel bring the figure up to date.
  process.cpuUsage();
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
}

const long = Array.from({ length: LONG }, (_, row) => ({
  id: `row-${row}`,
  name: `Name ${(row * 7919) % LONG}`,
  a: (row * 31) % 1009,
  b: (row * 17) % 503,
  c: (row * 13) % 211,
  d: (row * 11) % 307,
  e: (row * 7) % 101,
}));
const files = {
  ...COSTLY_GAME,
  'saga/game.json': { title: 'Saga', checks: { 'game-size': { max_megabytes: 100 } } },
  'saga/1.0/long.json': long,
};
const budget = new WorkBudget({ terms: { burstMs: 1e12, share: 0, minMs: 0 } });
const gateway = await startGateway(files, { budget });
const issued = await findKey(gateway.store, readKey(gateway.keys.pro)?.hash ?? '');
if (issued === undefined) throw new Error('the key is not there');
const holder = holderOf(issued);
const headers = { 'X-API-Key': gateway.keys.pro, 'Accept-Encoding': coding };
const client = new Worker(CLIENT, {
  eval: true,
  workerData: { address: `${gateway.address}/api/saga/`, headers },
});

/** Sends requests one after another. @returns the work and the time of each, in microseconds */
async function measure(asked: string): Promise<{ counted: number; took: number }> {
  const [counted, took] = [budget.usedBy(holder), threadMicros()];
  const done = once(client, 'message');
  client.postMessage({ query: asked, count });
  await done;
  return {
    counted: ((budget.usedBy(holder) - counted) * 1000) / count,
    took: (threadMicros() - took) / count,
  };
}

const count = Number(requests);
/** What every request costs is not counted. */
const PLAIN = 'characters?limit=1&stats.s0[gte]=-#';
await measure(PLAIN);
await measure(query);
const measured: Pair[] = [];
while (measured.length < Number(pairs)) {
  const plain = await measure(PLAIN);
  const { counted, took } = await measure(query);
  measured.push({ ours: counted, beside: took - plain.took });
}
await client.terminate();
await gateway.stop();
process.stdout.write(JSON.stringify(measured));
