import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createLoader } from './load.ts';
import { rosterQueries } from './queries.ts';
import { startBeside } from './servers.ts';
import { type Stage, startBare, withStage } from './stage.ts';

/** Requests a second by roster size, of one server. */
export interface Curve {
  name: string;
  points: { size: number; rate: number }[];
}

const SIZES = { long: [100, 300, 1000, 3000, 10_000], quick: [100, 300] };
const SECONDS = { long: 3, quick: 1 };
const NAMES = ['bare node:http, same bytes', 'gateway', 'polka, filter and sort per request'];

/** Measures the roster query, another every time, against rosters of growing size. */
export async function measureCurves(quick: boolean): Promise<Curve[]> {
  const curves: Curve[] = NAMES.map((name) => ({ name, points: [] }));
  for (const size of quick ? SIZES.quick : SIZES.long) {
    const rates = await withStage({ games: 1, characters: size }, async (stage: Stage, started) => {
      const { folder, gateway, slug, characters, headers } = stage;
      const load = { paths: rosterQueries(slug, characters, quick ? 5000 : 100_000), headers };
      const file = path.join(folder, 'records.json');
      await writeFile(file, JSON.stringify(characters));
      const bare = await started(startBare(stage, load));
      const polka = await started(startBeside('polka.ts', [file]));
      const seconds = quick ? SECONDS.quick : SECONDS.long;
      const measured: number[] = [];
      for (const { address } of [bare, gateway, polka]) {
        const loader = createLoader(load, 'load');
        if (!quick) await loader(address, seconds);
        measured.push((await loader(address, seconds)).rate);
      }
      return measured;
    });
    for (const [at, rate] of rates.entries()) curves[at]?.points.push({ size, rate });
  }
  return curves;
}
