import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describe, findDifferences, recordShipped } from './golden.ts';

test('each file of all shipped games is as it was', async () => {
  const differences = await findDifferences(await recordShipped());
  assert.is(differences.length, 0, describe(differences));
});

test.run();
