import { faultFamilies } from './fault-families.ts';
import { gatewayFamilies } from './gateway-families.ts';
import { describeParts } from './parts.ts';
import { processFamilies } from './process-families.ts';
import { readStore } from './read-store.ts';
import type { MakeReport } from './report.ts';
import type { Sources } from './sources.ts';
import { trafficFamilies } from './traffic-families.ts';

/** Returns a function that makes the report of a serving process. */
export function reporter(sources: Sources): MakeReport {
  return async () => {
    const reading = await readStore(sources);
    return {
      pid: process.pid,
      metrics: [
        ...processFamilies(sources),
        ...trafficFamilies(sources.traffic),
        ...gatewayFamilies(sources, reading),
        ...faultFamilies(sources, reading),
      ],
      parts: describeParts(sources, reading),
    };
  };
}
