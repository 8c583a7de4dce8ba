import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { summarizeBuild } from '../../../gateway/mcp/patch-summary.ts';

const test = suite('what a build changed, for an agent');

test('counts all members of lists of which the history has a page', () => {
  const counts = { added: 9000, gained: 2000, removed: 1, changed: 3000 };
  const lists = { added: [], removed: [], changed: [], counts };
  const rows = { added: ['1'], gained: [], removed: [], changed: ['2'], counts };
  const summary = summarizeBuild({ build: '2', characters: lists, datasets: { rows } }, undefined);
  assert.equal(
    [summary.new_characters_in_all, summary.changed_characters_in_all, summary.datasets],
    [9000, 3000, { rows: { new: 7000, names: ['1'], changed: 3000, removed: 1 } }],
  );
});

test.run();
