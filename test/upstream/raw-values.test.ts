import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../scripts/format/dist-format.ts';
import { compileShipped } from '../data/compile-shipped.ts';
import { parsePlan } from '../support/fixtures.ts';
import { chooseSome, sampleOf } from '../support/random.ts';
import { testUpstream } from '../support/skip.ts';
import { RAW_DUMPS } from './raw-dumps.ts';

/** How many values of a game are compared. */
const VALUES = 500;
/** How many games are compared unless all tests run. */
const GAMES = 2;

const test = suite('values of shipped games and of raw dumps');

for (const slug of sampleOf(Object.keys(RAW_DUMPS), GAMES)) {
  testUpstream(
    test,
    `${slug}: ${VALUES} values are those of the newest raw files, read by other code`,
    async () => {
      const { value: plan } = await compileShipped(slug);
      const newest = plan && parsePlan(plan).at(-1);
      assert.ok(newest);
      const served: Record<string, Json> = { ...newest.datasets, characters: newest.characters };
      const places = (RAW_DUMPS[slug]?.() ?? []).flatMap(({ collection, rows, values }) =>
        (served[collection] as JsonObject[])
          // What a dump has no row of is made from several rows, or comes from another table.
          .filter(({ id }) => rows.has(String(id)))
          .flatMap((record) =>
            Object.entries(values).map(([key, pick]) => ({ collection, record, key, pick, rows })),
          ),
      );
      assert.ok(places.length >= VALUES, `${places.length} values`);
      const different = chooseSome(places, VALUES).flatMap(({ collection, record, key, pick, rows }) => {
        const id = String(record.id);
        const [found, raw] = [valueAt(record, key), pick(rows.get(id), id)];
        return isDeepStrictEqual(found, raw) ? [] : [`${collection}/${id} ${key}: ${found}, raw ${raw}`];
      });
      assert.equal(different, []);
    },
  );
}

function valueAt(record: JsonObject, dotted: string): unknown {
  return dotted
    .split('.')
    .reduce<Json | undefined>((value, step) => (value as JsonObject | undefined)?.[step], record);
}

test.run();
