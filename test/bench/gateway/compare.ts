import type { Pair } from '../bench-row.ts';
import type { Loader } from './load.ts';
import type { BenchServer } from './servers.ts';

/** A server, and the function that puts it under load. */
export interface Contender {
  server: Pick<BenchServer, 'address' | 'cpuSeconds'>;
  load: Loader;
}

/** How many seconds a measurement takes. */
const SECONDS = { long: 3, quick: 1 };
/** How many seconds each server warms up: until the hot code of each of its workers is compiled. */
const WARM_UP_SECONDS = { long: 8, quick: 3 };

/** The result of one measurement: requests a second, and µs of processor time per request. */
interface Measured {
  rate: number;
  cpu: number;
}

/**
 * Measures two servers alternately: requests per second of processor time. `detail` has the µs of processor time per request of each, and
 * the requests per second that passed, which depend on what else the machine does.
 */
export async function compareRates(
  ours: Contender,
  beside: Contender,
  { quick, pairs }: { quick: boolean; pairs: number },
): Promise<Pair[]> {
  const mode = quick ? 'quick' : 'long';
  const seconds = SECONDS[mode];
  for (const { server, load } of [ours, beside]) {
    // While it warms up, a 503 is allowed: a store on a busy core may be late to find keys that the gateway does not know yet.
    await load(server.address, WARM_UP_SECONDS[mode]).catch(() => {});
  }
  const measured: Pair[] = [];
  for (let index = 0; index < pairs; index++) {
    const a = await measureRate(ours, seconds);
    const b = await measureRate(beside, seconds);
    const detail = { oursCpu: a.cpu, besideCpu: b.cpu, oursByClock: a.rate, besideByClock: b.rate };
    measured.push({ ours: 1e6 / a.cpu, beside: 1e6 / b.cpu, detail });
  }
  return measured;
}

async function measureRate({ server, load }: Contender, seconds: number): Promise<Measured> {
  const before = await server.cpuSeconds();
  const { rate, requests } = await load(server.address, seconds);
  return { rate, cpu: (((await server.cpuSeconds()) - before) * 1e6) / requests };
}
