import { isObject } from '../../scripts/format/dist-format.ts';
import type { GameBuild } from '../data/game-build.ts';
import { querySample } from './parts/query-sample.ts';
import type { Shown } from './parts/try-it.tsx';
import { type Sample, sampleOf } from './sample.ts';

/** A request for the sample of a game, and its response. */
export interface Example {
  slug: string;
  path: string;
  shown: Shown;
  /** What the request runs on without a key. */
  sample: Sample;
}

const ROWS = 3;

/** Makes an example from the first game whose sample has something to filter and to sort by; undefined without games. */
export function exampleOf(games: readonly GameBuild[]): Example | undefined {
  const [first] = games;
  if (first === undefined) return undefined;
  const gameWithFilter = games.find((game) => facetsOf(sampleOf(game)).filter !== undefined) ?? first;
  return makeExample(gameWithFilter);
}

function makeExample(game: GameBuild): Example {
  const sample = sampleOf(game);
  const { filter, number } = facetsOf(sample);
  const fields = ['name', filter?.key, number].filter((field) => field !== undefined);
  const query = [
    filter && `${filter.key}=${encodeURIComponent(filter.value)}`,
    number && `sort=-${number}`,
    `fields=${fields.join(',')}`,
    `limit=${ROWS}`,
  ].filter((part) => part !== undefined);
  const path = `/api/${game.slug}/characters?${query.join('&')}`;
  const { status, body } = querySample(sample, new URLSearchParams(query.join('&')));
  const note = `From the first ${sample.count} of ${sample.total} characters. With a key, the same request searches all.`;
  return { slug: game.slug, path, sample, shown: { status, body, note } };
}

/** Finds a text that several characters of a sample share, and a number. */
function facetsOf({ characters }: Sample): { filter?: { key: string; value: string }; number?: string } {
  const [first = {}] = characters;
  const keys = Object.keys(first).filter((key) => /^[a-z]\w*$/.test(key) && !/^(id|key|name.*)$/.test(key));
  const texts = keys.filter((key) => typeof first[key] === 'string');
  const key = texts.find(
    (each) => new Set(characters.map((character) => character[each])).size <= characters.length / 2,
  );
  const stats = Object.entries(isObject(first.stats) ? first.stats : {});
  const [stat] = stats.find(([, value]) => typeof value === 'number') ?? [];
  const number = stat === undefined ? keys.find((each) => typeof first[each] === 'number') : `stats.${stat}`;
  return {
    ...(key !== undefined && { filter: { key, value: mostFrequent(characters.map((each) => each[key])) } }),
    ...(number !== undefined && { number }),
  };
}

function mostFrequent(values: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const value of values) {
    if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const [[most] = ['']] = [...counts].sort((a, b) => b[1] - a[1]);
  return most;
}
