import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { detach, lendMemory } from '../../../gateway/http/workbench.ts';

const test = suite('lent memory');

const SIZE = 64 * 1024;

for (const length of [1, SIZE - 1, SIZE, SIZE + 1]) {
  test(`${length} bytes that were detached stay what they are`, () => {
    const kept = detach(lendMemory(length).fill('a'));
    lendMemory(length).fill('b');
    assert.ok(kept.equals(Buffer.alloc(length, 'a')));
  });
}

test.run();
