import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { summarize } from '../../../gateway/site/build-changes.ts';
import { describeChanges } from '../../../gateway/site/parts/describe-changes.tsx';

const changes = suite('what a build changed, in a line');

const BUILD = { build: '2', released_at: '2026-06-01T00:00:00Z' };
const NONE = { added: [], removed: [], changed: [] };

function describe(datasets: Parameters<typeof summarize>[2]['datasets']): string {
  return describeChanges(summarize(BUILD, false, { characters: NONE, datasets }));
}

changes('does not count what is only served from the build on, or only has further attributes', () => {
  const sets = { kind: 'added' as const, ...NONE, added: ['1'], gained: ['1'] };
  const cones = { ...NONE, attributes: { gained: ['images'], lost: [] } };
  assert.is(describe({ sets, cones }), 'no changes in the game');
  assert.is(
    describe({
      sets,
      cones: { ...cones, changed: ['7'] },
      skills: { ...NONE, added: ['1', '2'], gained: ['1'] },
    }),
    '1 new in Skills, 1 dataset changed',
  );
  assert.is(describe({ rates: { fields: ['cost'] }, skins: { kind: 'removed' } }), '2 datasets changed');
});

changes('counts all members of lists of which the history has a page', () => {
  const counts = { added: 9000, gained: 2000, removed: 0, changed: 0 };
  assert.is(describe({ rows: { ...NONE, added: ['1'], counts } }), '7,000 new in Rows');
});

changes.run();
