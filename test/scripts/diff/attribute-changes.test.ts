import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diffBuilds } from '../../../scripts/diff/diff-builds.ts';
import { diffGame } from '../../../scripts/diff/fold.ts';
import { timelineOf } from '../../../scripts/diff/history.ts';
import { summarise } from '../../../scripts/diff/summary.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { renderChanges, renderText } from '../../../scripts/upstream/review/diff.ts';
import { contentOf } from './contents.ts';

const test = suite('attributes that a whole collection gains or loses');

const ann = { id: 'ann', name: 'Ann', stats: { atk: 1 }, skills: [{ id: 's', power: 1 }] };
const bob = { id: 'bob', name: 'Bob', stats: { atk: 2 }, skills: [{ id: 't', power: 2 }] };

function diffOf(before: JsonObject[], after: JsonObject[]) {
  return diffBuilds(contentOf(before), contentOf(after, {}, '1.1'));
}

test('of a dataset are listed for it, and an object has none: its keys can be data of the game', () => {
  const before = contentOf([], { items: [{ id: 'i' }], rows: [{ n: 1 }, { n: 2 }], rates: { ssr: 1 } });
  const after = contentOf([], {
    items: [{ id: 'i', cost: 1 }],
    rows: [
      { n: 1, m: 1 },
      { n: 3, m: 1 },
    ],
    rates: { ssr: 1, sr: 2 },
  });
  const { datasets } = diffBuilds(before, after);
  assert.equal(datasets, {
    items: { added: [], removed: [], changed: [], attributes: { gained: ['cost'], lost: [] } },
    rates: { fields: ['sr'], changes: [{ path: '/sr', to: 2 }] },
    rows: {
      fields: [],
      changes: [{ path: '/1/n', from: 2, to: 3 }],
      attributes: { gained: ['m'], lost: [] },
    },
  });
});

test('are one line of text each, and one line of Markdown', () => {
  const diff = diffOf([ann, { ...bob, old: 1 }], [{ ...ann, a: 1, b: 2 }, bob]);
  const title = 'characters: 2 attributes gained, 1 attribute lost\n';
  assert.match(renderText(diff), `${title}+ attribute a\n+ attribute b\n- attribute old\n`);
  const lines = 'Attributes gained: `a`, `b`\n\nAttributes lost: `old`';
  assert.match(renderChanges(diff, 50_000).join('\n\n'), `#### ${title}\n${lines}`);
});

const numbered = (make: (index: number) => JsonObject) =>
  Array.from({ length: 20 }, (_, index) => ({ id: `u${index}`, name: `Unit ${index}`, ...make(index) }));

test('elements that all lists gain are no changes of the game, and a diff has their values', () => {
  const before = numbered((index) => ({ arts: [], hp: index, traits: ['Human'] }));
  const after = numbered((index) => ({
    arts: [{ id: `a${index}`, name: 'Excalibur' }],
    hp: index === 3 ? 99 : index,
    traits: ['Human', index < 15 ? 'Hominid' : 'Beast', ...(index === 3 ? ['Serpent'] : [])],
  }));
  const diff = diffGame(contentOf(before), contentOf(after, {}, '1.1'));
  assert.is(diff.characters.folded?.gained?.length, 20);
  assert.equal(diff.characters.attributes?.elements, [
    { key: 'arts' },
    { key: 'traits', values: ['Hominid', 'Beast'] },
  ]);
  const history = summarise(diff).characters;
  assert.equal(history.changed, [{ id: 'u3', name: 'Unit 3', fields: ['hp', 'traits'] }]);
  assert.is(timelineOf(diff).length, 20);
  const text = renderText(diff);
  assert.match(text, 'elements of 2 lists gained');
  assert.match(text, '+ elements traits: "Hominid", "Beast"');
  assert.not.match(text, 'u4 Unit 4');
  assert.not.match(renderChanges(diff, 50_000).join('\n\n'), 'u4 Unit 4');
});

test('an element that few lists gained, or that one had, is a change of the game', () => {
  const before = numbered((index) => ({ traits: index === 0 ? ['Human', 'Hominid'] : ['Human'] }));
  const all = numbered(() => ({ traits: ['Human', 'Hominid'] }));
  assert.is(diffOf(before, all).characters.attributes, undefined);
  const none = numbered(() => ({ traits: ['Human'] }));
  const few = numbered((index) => ({ traits: index < 6 ? ['Human', 'New'] : ['Human'] }));
  assert.is(diffOf(none, few).characters.attributes, undefined);
});

test('records of a dataset that is new in the data are gained, except those that upstream dates to the build', () => {
  const ore = (id: string) => ({ id, name: `Ore ${id}` });
  const bow = (id: string, version: string, ore: string) => ({
    id,
    name: `Bow ${id}`,
    costs: [{ id: ore }],
    version,
  });
  const unit = { id: 'ann', name: 'Ann', costs: [{ id: 'o1' }] };
  const cid = { id: 'cid', name: 'Cid', costs: [{ id: 'o2' }], talents: [{ cost: 'o5' }, { cost: 'o6' }] };
  const before = contentOf([unit], { materials: [ore('o1')] });
  const after = contentOf(
    [{ ...unit, talents: [{ cost: 'o5' }] }, cid],
    {
      bows: [bow('b1', '1.0', 'o1'), bow('b2', '1.1', 'o3'), bow('b3', '1.1', 'o6')],
      materials: ['o1', 'o2', 'o3', 'o4', 'o5', 'o6'].map(ore),
    },
    '1.1',
  );
  const diff = diffBuilds(before, after);
  const { bows, materials } = summarise(diff).datasets;
  assert.equal(bows, {
    kind: 'added',
    added: ['b1', 'b2', 'b3'],
    gained: ['b1'],
    removed: [],
    changed: [],
    names: { b1: 'Bow b1', b2: 'Bow b2', b3: 'Bow b3' },
  });
  // o2 and o6 belong to a new character, and nothing names o4; an old one needs o5 for talents, which characters gain.
  assert.equal(materials && 'added' in materials && materials.gained, ['o3', 'o5']);
  const text = renderText(diff);
  assert.match(text, 'bows: 2 added, 1 served from this build on');
  assert.match(text, '+ b2 Bow b2');
  assert.not.match(text, 'Bow b1');
  assert.not.ok('gained' in (diffBuilds(undefined, after).datasets.bows ?? {}));
});

test('what had ended before the previous build is gained, and what ran then is new', () => {
  const banner = (id: string, end: string) => ({ id, name: id, start: '2024-05-01T00:00:00Z', end });
  const before = contentOf([], { banners: [banner('c', '2026-02-01T00:00:00Z')] });
  const all = [
    banner('a', '2024-06-01T00:00:00Z'),
    banner('b', '2026-03-01T00:00:00Z'),
    banner('c', '2026-02-01T00:00:00Z'),
  ];
  const { banners } = diffBuilds(before, contentOf([], { banners: all }, '1.1')).datasets;
  assert.equal(banners && 'added' in banners && [banners.added, banners.gained], [['a', 'b'], ['a']]);
});

test.run();
