import type { Pair } from '../bench-row.ts';
import type { Loader } from './load.ts';
import type { BenchServer } from './servers.ts';

/** A server, and what puts it under load. */
export interface Contender {
  server: Pick<BenchServer, 'address' | 'cpuSeconds'>;
  load: Loader;
}

/** How long a measurement is, in seconds. */
const SECONDS = { long: 3, quick: 1 };
/** How long each server warms up before the first, in seconds: until all that is hot is compiled, in each of its workers. */
const WARM_UP_SECONDS = 8;

/** What one measurement found: requests a second, and the processor's seconds that a thousand of them cost. */
interface Measured {
  rate: number;
  cpu: number;
}

/** Measures the rates of two servers in turn, with the processor's seconds per 1,000 requests of each as detail. */
export async function compareRates(
  ours: Contender,
  beside: Contender,
  { quick, pairs }: { quick: boolean; pairs: number },
): Promise<Pair[]> {
  const seconds = quick ? SECONDS.quick : SECONDS.long;
  for (const { server, load } of quick ? [] : [ours, beside]) {
    // A store on a core that is busy with something else may be late for keys that are new to the gateway: a 503, while it warms up.
    await load(server.address, WARM_UP_SECONDS).catch(() => {});
  }
  const measured: Pair[] = [];
  for (let index = 0; index < pairs; index++) {
    const a = await measureRate(ours, seconds);
    const b = await measureRate(beside, seconds);
    measured.push({ ours: a.rate, beside: b.rate, detail: { oursCpu: a.cpu, besideCpu: b.cpu } });
  }
  return measured;
}

async function measureRate({ server, load }: Contender, seconds: number): Promise<Measured> {
  const before = await server.cpuSeconds();
  const { rate, requests } = await load(server.address, seconds);
  return { rate, cpu: ((await server.cpuSeconds()) - before) / (requests / 1000) };
}
