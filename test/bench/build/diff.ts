import { create } from 'jsondiffpatch';
import { diffBuilds } from '../../../scripts/diff/diff-builds.ts';
import type { BuildContent } from '../../../scripts/format/build-content.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import type { BenchRow, Pair } from '../bench-row.ts';
import { readRoster } from './data.ts';

/** Matches by id, or by position if there is none, as its documentation recommends. */
const differ = create({
  objectHash: (record, index) => String((record as JsonObject).id ?? `$$index:${index}`),
});

export const rows: BenchRow[] = [
  {
    name: 'diffs a second of processor time of two builds, 1 of 100 records changed',
    beside: 'JSON.parse and jsondiffpatch of the whole rosters',
    target: { atLeast: 5 },
    measure: async (options) => (await measure(options, 100)).map(inverse),
  },
  {
    name: 'seconds for a diff of two builds, all records changed',
    beside: 'JSON.parse and jsondiffpatch of the whole rosters',
    unit: 's',
    target: { atMost: 2 },
    measure: (options) => measure(options, 1),
  },
];

function inverse({ ours, beside }: Pair): Pair {
  return { ours: 1 / ours, beside: 1 / beside };
}

const CHARACTERS = 1000;

/** @param step one in this many records differs */
async function measure({ quick, pairs }: { quick: boolean; pairs: number }, step: number): Promise<Pair[]> {
  const before = await readRoster(CHARACTERS);
  const after = before.map(
    (record, index) => (index % step === 0 ? changeNumbers(record) : record) as JsonObject,
  );
  const [older, newer] = [contentOf('1', before), contentOf('2', after)];
  const times = quick ? 1 : 5;
  const ours = () => diffBuilds(older, newer).characters.changed.length;
  const [olderText, newerText] = [JSON.stringify(before), JSON.stringify(after)];
  const beside = () => {
    const delta = differ.diff(JSON.parse(olderText), JSON.parse(newerText)) ?? {};
    return Object.keys(delta).filter((key) => key !== '_t').length;
  };
  const changed = Math.ceil(before.length / step);
  // This also warms both functions up.
  if (ours() !== changed || beside() !== changed) throw new Error('the two do not find the same changes');
  return Array.from({ length: pairs }, () => ({
    ours: secondsOf(ours, times),
    beside: secondsOf(beside, times),
  }));
}

/** Changes every number directly in a part of the record, like a patch that rebalances all characters. */
function changeNumbers(record: JsonObject): JsonObject {
  const change = (value: Json): Json => (typeof value === 'number' ? value + 1 : value);
  const stats = Object.entries(record.stats as JsonObject).map(([key, value]) => [key, change(value)]);
  return { ...record, stats: Object.fromEntries(stats) };
}

function contentOf(build: string, records: JsonObject[]): BuildContent {
  const characters = records.map((record) => JSON.stringify(record));
  return {
    game: 'game',
    title: 'Game',
    build,
    released_at: '2026-01-01T00:00:00Z',
    characters,
    datasets: new Map(),
  };
}

function secondsOf(work: () => void, times: number): number {
  const started = process.cpuUsage();
  for (let time = 0; time < times; time++) work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1e6 / times;
}
