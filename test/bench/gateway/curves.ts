import { createLoader } from './load.ts';
import { newRosterQueries } from './queries.ts';
import { startBeside } from './servers.ts';
import { type Stage, startBare, withStage } from './stage.ts';

/** The requests a second of one server, by roster size. */
export interface Curve {
  name: string;
  points: { size: number; rate: number }[];
}

const SIZES = [100, 300, 1000, 3000, 10_000];
const SECONDS = 3;
const NAMES = ['bare node:http, same bytes', 'gateway', 'polka, filter and sort per request'];

/** Measures roster queries, each different, on rosters of growing size. */
export async function measureCurves(): Promise<Curve[]> {
  const curves: Curve[] = NAMES.map((name) => ({ name, points: [] }));
  for (const size of SIZES) {
    const rates = await withStage({ games: 1, characters: size }, async (stage: Stage, started) => {
      const { roster, gateway, slug, characters, headers } = stage;
      const load = { paths: newRosterQueries(slug, characters, false), headers };
      const bare = await started(startBare(stage, load));
      const polka = await started(startBeside('polka', [roster]));
      const measured: number[] = [];
      for (const { address } of [bare, gateway, polka]) {
        const loader = createLoader(load, 'load');
        await loader(address, SECONDS);
        measured.push((await loader(address, SECONDS)).rate);
      }
      return measured;
    });
    for (const [at, rate] of rates.entries()) curves[at]?.points.push({ size, rate });
  }
  return curves;
}
