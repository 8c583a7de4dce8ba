import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeOccurrence, MAX_EVENT_BYTES } from '../../../../gateway/people/alerts/event.ts';
import { describeInLines } from '../../../../gateway/people/alerts/mails.ts';
import {
  type GameBuilds,
  type Occurrence,
  occurrencesOf,
} from '../../../../gateway/people/alerts/occurrence.ts';
import { delayAfter } from '../../../../gateway/people/alerts/outcome.ts';
import { type BuildEntry, encodeList } from '../../../../scripts/format/dist-format.ts';
import { checkEvent } from '../../../support/open-api-check.ts';

const events = suite('events');

function entry(build: string, released_at: string, more: Partial<BuildEntry> = {}): BuildEntry {
  const ref = { file: `saga/${build}.json`, bytes: 1, sha256: '0'.repeat(64) };
  return {
    build,
    released_at,
    note: null,
    amended: [],
    roster: { ...ref, count: 0 },
    characters: { ...ref, count: 0 },
    datasets: [],
    snapshot: { ...ref, gzip: ref, brotli: ref },
    diff: null,
    history: ref,
    timeline: { ...ref, count: 0 },
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
};

events('are derived from dist/ with the same ids each time', () => {
  const occurrences = occurrencesOf(GAME);
  assert.equal(
    occurrences.map(({ type, entry: { build }, due }) => [type, build, new Date(due).toISOString()]),
    [
      ['game.added', '1.0', '2026-01-01T00:00:00.000Z'],
      ['build.amended', '1.0', '2026-01-01T00:00:00.000Z'],
      ['build.amended', '1.0', '2026-01-05T00:00:00.000Z'],
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
    Buffer.from(file === 'saga/1.1.json' ? history : encodeList(named));
  for (const occurrence of occurrencesOf(game)) {
    const now = occurrence.type === 'game.added' ? occurrence.due : Number.POSITIVE_INFINITY;
    const event = await describeOccurrence(occurrence, game, read, now);
    const text = JSON.stringify(event);
    checkEvent(text);
    assert.ok(Buffer.byteLength(text) < MAX_EVENT_BYTES, `${occurrence.type}: ${Buffer.byteLength(text)}`);
    assert.not.match(text, /\\n|\\u0007/);
    if (!('characters' in event.data)) continue;
    const { added } = event.data.characters;
    assert.is(added.count, 500);
    assert.ok(added.first.length > 0);
  }
});

events('list the attributes that a whole collection gained or lost apart from what changed', async () => {
  const none = { added: [], removed: [], changed: [] };
  const history = {
    characters: { ...none, attributes: { gained: ['voices', 'skills.cost'], lost: [] } },
    datasets: {
      items: { ...none, changed: ['i'], attributes: { gained: [], lost: ['price'] } },
      rows: { fields: [], attributes: { gained: ['m'], lost: [] } },
    },
  };
  const read = async () => Buffer.from(JSON.stringify(history));
  const released = occurrencesOf(GAME).find(({ type }) => type === 'build.released') as Occurrence;
  const event = await describeOccurrence(released, GAME, read, released.due);
  checkEvent(JSON.stringify(event));
  const { characters, datasets } = event.data as Extract<typeof event.data, { characters: unknown }>;
  assert.is(characters.changed.count, 0);
  assert.equal(characters.attributes, {
    gained: { count: 2, first: ['voices', 'skills.cost'] },
    lost: { count: 0, first: [] },
  });
  assert.equal(datasets.first, [
    { key: 'items', added: 0, removed: 0, changed: 1, attributes: { gained: 0, lost: 1 } },
    { key: 'rows', added: 0, removed: 0, changed: 0, attributes: { gained: 1, lost: 0 } },
  ]);
  assert.equal(describeInLines(event), [
    'New attributes of the data (2): voices, skills.cost',
    'Datasets: items (1 changed, 1 attributes lost), rows (1 attributes gained)',
  ]);
});

events('are retried on the schedule of Standard Webhooks plus up to a tenth, after at most a day', () => {
  const at = (random: number) =>
    Array.from({ length: 10 }, (_, index) => delayAfter(index + 1, 0, () => random));
  const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000] as const;
  const planned = [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ];
  assert.equal(at(0), [...planned, undefined]);
  assert.equal(at(1), [...planned.map((delay) => Math.ceil(delay * 1.1)), undefined]);
  assert.is(
    delayAfter(1, 1e12, () => 0),
    24 * HOUR,
  );
  assert.is(
    delayAfter(2, 1000, () => 0),
    5 * MINUTE,
  );
});

events.run();
