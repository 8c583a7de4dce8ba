import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describe, findDifferences, makeRecord } from './golden.ts';

test('every recorded exchange, and each file of dist/, is as it was', async () => {
  const differences = await findDifferences(await makeRecord());
  assert.is(differences.length, 0, describe(differences));
});

test.run();
