import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isSound, noFigures } from './figures.ts';

test('a campaign is sound if it tried something and nothing bad was counted', () => {
  assert.ok(isSound({ ...noFigures(), tried: 1 }));
  assert.not(isSound(noFigures()));
  for (const bad of ['lost', 'torn', 'wrong', 'above', 'silent'])
    assert.not(isSound({ ...noFigures(), tried: 1, [bad]: 1 }), bad);
});

test.run();
