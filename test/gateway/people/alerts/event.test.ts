import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  describeOccurrence,
  type GameBuilds,
  MAX_EVENT_BYTES,
  type Occurrence,
  occurrencesOf,
} from '../../../../gateway/people/alerts/event.ts';
import { describeInLines, describeInOneLine } from '../../../../gateway/people/alerts/message.ts';
import type { BuildEntry } from '../../../../scripts/format/dist-format.ts';
import { checkEvent } from '../../openapi/open-api-check.ts';

const events = suite('events');

function entry(build: string, released_at: string, more: Partial<BuildEntry> = {}): BuildEntry {
  const ref = { file: `saga/${build}.json`, bytes: 1, sha256: '0'.repeat(64) };
  return {
    build,
    released_at,
    note: null,
    amended: [],
    roster: { ...ref, file: 'roster', count: 0 },
    characters: { ...ref, count: 0 },
    datasets: [],
    snapshot: { ...ref, gzip: ref, brotli: ref },
    diff: null,
    history: ref,
    timeline: { ...ref, count: 0 },
    attributes: ref,
    ...more,
  };
}

const GAME: GameBuilds = {
  slug: 'saga',
  title: 'Saga',
  builds: [
    entry('1.0', '2026-01-01T00:00:00Z', {
      amended: [
        { at: '2025-12-30T00:00:00Z', reason: 'before its release' },
        { at: '2026-01-05T00:00:00Z', reason: 'after it' },
      ],
    }),
    entry('1.1', '2026-02-01T00:00:00Z'),
  ],
  withdrawn: [
    { build: '1.0.1', released_at: '2026-01-10T00:00:00Z', at: '2026-01-11T00:00:00Z', reason: 'a test' },
  ],
};

events('are derived from dist/ with the same ids each time', () => {
  const occurrences = occurrencesOf(GAME);
  assert.equal(
    occurrences.map((occurrence) => [
      occurrence.type,
      occurrence.newest.build,
      new Date(occurrence.due).toISOString(),
    ]),
    [
      ['game.added', '1.0', '2026-01-01T00:00:00.000Z'],
      ['build.amended', '1.0', '2026-01-01T00:00:00.000Z'],
      ['build.amended', '1.0', '2026-01-05T00:00:00.000Z'],
      ['build.withdrawn', '1.0.1', '2026-01-11T00:00:00.000Z'],
      ['build.released', '1.1', '2026-02-01T00:00:00.000Z'],
    ],
  );
  assert.equal(occurrencesOf(structuredClone(GAME)), occurrences);
  const ids = occurrences.map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
  assert.ok(
    ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  );
  // Ids are published: they must never change.
  assert.is(ids[0], '1c49b1fb-3863-8032-b14a-b94930bafb2c');
});

const LONG = '長い\n名前\u0007'.repeat(100);

events('have a maximum size, and their texts have no line breaks or control characters', async () => {
  const named = Array.from({ length: 500 }, (_, index) => ({ id: `${index} ${LONG}`, name: LONG }));
  const datasets = Array.from({ length: 1000 }, (_, index) => [
    `d${index}`,
    { added: ['a', 'b'], removed: [], changed: [] },
  ]);
  const history = JSON.stringify({
    characters: { added: named, removed: named, changed: named.map((name) => ({ ...name, fields: [LONG] })) },
    datasets: Object.fromEntries(datasets),
  });
  const game = {
    ...GAME,
    title: LONG,
    builds: [
      entry('1.0', '2026-01-01T00:00:00Z', { amended: [{ at: '2026-03-01T00:00:00Z', reason: LONG }] }),
      entry('1.1', '2026-02-01T00:00:00Z', { note: LONG }),
    ],
  };
  const read = async ({ file }: { file: string }) =>
    Buffer.from(file === 'roster' ? JSON.stringify(named) : history);
  for (const occurrence of occurrencesOf(game)) {
    const event = await describeOccurrence(occurrence, game, read);
    const text = JSON.stringify(event);
    checkEvent(text);
    assert.ok(Buffer.byteLength(text) < MAX_EVENT_BYTES, `${occurrence.type}: ${Buffer.byteLength(text)}`);
    assert.not.match(text, /\\n|\\u0007/);
    const { added } = event.data.characters ?? {};
    assert.is(added?.count, event.data.characters && 500);
    assert.ok(added === undefined || added.first.length > 0);
  }
});

const AMENDED = { at: '2026-03-01T00:00:00Z', reason: 'an attack' };

function amendedEntry(build: string, released_at: string, name?: string) {
  const ref = { file: `saga/${name}.json`, bytes: 1, sha256: '0'.repeat(64) };
  return entry(build, released_at, { amended: [AMENDED], ...(name && { amendments: [ref] }) });
}

events('report one correction of several builds once, with what it changed', async () => {
  const change = { fields: ['atk'], changes: [{ path: '/atk', from: 1, to: 2 }] };
  const changes = (...ids: string[]) => ({
    characters: {
      added: [],
      removed: [],
      changed: ids.map((id) => ({ id, name: id.toUpperCase(), ...change })),
    },
    datasets: { items: { added: ['i'], removed: [], changed: [{ id: 'j', ...change }] } },
  });
  const files: Record<string, unknown> = {
    'saga/a.json': changes('ann'),
    'saga/b.json': changes('ann', 'bob'),
  };
  const read = async ({ file }: { file: string }) => Buffer.from(JSON.stringify(files[file] ?? {}));
  const builds = [
    amendedEntry('1.0', '2026-01-01T00:00:00Z', 'a'),
    amendedEntry('1.1', '2026-02-01T00:00:00Z', 'b'),
  ];
  const game = { ...GAME, builds, withdrawn: [] };
  const amended = occurrencesOf(game).filter(({ type }) => type === 'build.amended');
  assert.is(amended.length, 1);
  const occurrence = amended[0] as Occurrence;
  // It is not raised again when one of its builds is withdrawn.
  for (const each of builds) assert.is(occurrencesOf({ ...game, builds: [each] })[1]?.id, occurrence.id);

  const event = await describeOccurrence(occurrence, game, read);
  checkEvent(JSON.stringify(event));
  assert.equal([event.type, event.timestamp], ['build.amended', '2026-03-01T00:00:00.000Z']);
  assert.equal(event.data, {
    game: 'saga',
    title: 'Saga',
    build: '1.1',
    released_at: '2026-02-01T00:00:00Z',
    note: null,
    amended_at: AMENDED.at,
    reason: AMENDED.reason,
    builds: { count: 2, first: ['1.0', '1.1'] },
    characters: {
      added: { count: 0, first: [] },
      removed: { count: 0, first: [] },
      changed: {
        count: 2,
        first: [
          { id: 'ann', name: 'ANN' },
          { id: 'bob', name: 'BOB' },
        ],
      },
    },
    datasets: { count: 1, first: [{ key: 'items', added: 1, removed: 0, changed: 1 }] },
    largest: [
      { collection: 'characters', id: 'ann', name: 'ANN', path: '/atk', from: 1, to: 2 },
      { collection: 'characters', id: 'bob', name: 'BOB', path: '/atk', from: 1, to: 2 },
      { collection: 'items', id: 'j', path: '/atk', from: 1, to: 2 },
    ],
  });
  assert.is(describeInOneLine(event), 'Saga: build 1.1 and 1 earlier were corrected');
  assert.equal(describeInLines(event), [
    'Why: an attack',
    'Changed (2): ANN, BOB',
    'Largest changes (3): ANN: atk 1 → 2, BOB: atk 1 → 2, j: atk 1 → 2',
    'Datasets (1): items (1 added, 1 changed)',
  ]);
});

events('have the twenty numbers that changed most, with labels, as far as the event has room', async () => {
  const attributes = [{ key: 'atk', list: false, count: 30, label: 'ATK', unit: 'points' }];
  const changed = Array.from({ length: 30 }, (_, index) => ({
    id: `u${index}`,
    name: index === 29 ? LONG : 'Ann',
    fields: ['atk'],
    changes: [{ path: '/atk', from: 100, to: 101 + index }],
  }));
  const diff = {
    game: 'saga',
    from: '1.0',
    to: '1.1',
    characters: { added: [], removed: [], changed },
    datasets: {},
  };
  const files: Record<string, unknown> = { diff, attributes: { characters: { records: 30, attributes } } };
  const read = async ({ file }: { file: string }) => Buffer.from(JSON.stringify(files[file] ?? {}));
  const ref = (file: string) => ({ file, bytes: 1, sha256: '0'.repeat(64) });
  const describe = async (more: Partial<BuildEntry>) => {
    const builds = [entry('1.0', '2026-01-01T00:00:00Z'), entry('1.1', '2026-02-01T00:00:00Z', more)];
    const game = { ...GAME, builds, withdrawn: [] };
    const released = occurrencesOf(game).find(({ type }) => type === 'build.released') as Occurrence;
    const event = await describeOccurrence(released, game, read);
    checkEvent(JSON.stringify(event));
    return event.data;
  };
  const { characters, largest = [] } = await describe({ diff: ref('diff'), attributes: ref('attributes') });
  assert.is(characters?.changed.count, 30);
  assert.is(largest.length, 20);
  const most = {
    collection: 'characters',
    id: 'u28',
    name: 'Ann',
    path: '/atk',
    label: 'ATK',
    unit: 'points',
  };
  assert.equal(largest[1], { ...most, from: 100, to: 129 });
  assert.ok((largest[0]?.name ?? '').length <= 301);
  // Without a dictionary the values have no labels; without a diff there are none.
  assert.is((await describe({ diff: ref('diff') })).largest?.[1]?.label, undefined);
  files['saga/1.1.json'] = { characters: diff.characters, datasets: {} };
  assert.is((await describe({})).largest, undefined);
});

events('report a correction of which it is not known what it changed, and a withdrawn build', async () => {
  const read = async () => Buffer.from('');
  const game = { ...GAME, builds: [amendedEntry('1.0', '2026-01-01T00:00:00Z')] };
  const [, withdrawn, amended] = await Promise.all(
    occurrencesOf(game).map((each) =>
      each.type === 'game.added' ? undefined : describeOccurrence(each, game, read),
    ),
  );
  assert.equal(withdrawn?.data, {
    game: 'saga',
    title: 'Saga',
    build: '1.0.1',
    released_at: '2026-01-10T00:00:00Z',
    note: null,
    withdrawn_at: '2026-01-11T00:00:00Z',
    reason: 'a test',
  });
  assert.equal(withdrawn && describeInOneLine(withdrawn), 'Saga: build 1.0.1 was withdrawn');
  assert.is(amended && 'characters' in amended.data, false);
  for (const event of [withdrawn, amended]) checkEvent(JSON.stringify(event));
});

events.run();
