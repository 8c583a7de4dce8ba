import type { Tier } from '../../../gateway/access/account.ts';
import { HOUR, type RawBuild, type World } from './random-world.ts';

/** A request, and the response that a caller should get. */
export interface Probe {
  path: string;
  status: number;
  /** Part of the expected body, and how to find it in the response. */
  content?: { expected: unknown; pick(json: never): unknown };
}

const DELAY_HOURS: Record<Tier, number> = { free: 24, pro: 0 };

/** The builds that a tier sees at a moment. */
export function visibleTo(world: World, tier: Tier, now: number): World {
  return world.filter(({ releasedAt }) => releasedAt + DELAY_HOURS[tier] * HOUR <= now);
}

const DAY = 24 * HOUR;

/** Requests to every address of every game and build, visible or not, with what a tier should get at a moment. */
export function probesOf(world: World, tier: Tier, now: number): Probe[] {
  const visible = visibleTo(world, tier, now);
  const games = [...new Set(world.map(({ game }) => game))].sort();
  const seenGames = games.filter((game) => visible.some((build) => build.game === game));
  return [
    {
      path: '/api/games',
      status: 200,
      content: {
        expected: seenGames.map((game) =>
          describeGame(
            visible.filter((build) => build.game === game),
            now,
          ),
        ),
        pick: ({ games }: { games: unknown }) => games,
      },
    },
    {
      path: '/api/me',
      status: 200,
      content: {
        expected: DELAY_HOURS[tier],
        pick: ({ freshness }: { freshness: { delay_hours: number } }) => freshness.delay_hours,
      },
    },
    ...games.flatMap((game) => {
      const all = world.filter((build) => build.game === game);
      const seen = visible.filter((build) => build.game === game);
      return [...currentProbes(game, all, seen), ...proProbes(game, all, seen, tier)];
    }),
  ];
}

function describeGame(seen: World, now: number) {
  const { game, build, releasedAt } = seen.at(-1) as RawBuild;
  const datasets = [...seen.map(({ word }) => `ds_${word}`), 'pull_planner'].sort();
  return {
    slug: game,
    title: `Title ${seen[0]?.word}`,
    build,
    released_at: new Date(releasedAt).toISOString().replace('.000Z', 'Z'),
    counts: { characters: idsOf(seen).length + 21, datasets: datasets.length, builds: seen.length },
    datasets,
    as_of: Object.fromEntries(
      ['characters', ...datasets].map((key) => [key, new Date(releasedAt).toISOString().slice(0, 10)]),
    ),
    formats: { json: seen[0]?.build },
    ...describeAge(
      seen.map(({ releasedAt }) => releasedAt / DAY),
      now / DAY,
    ),
  };
}

/** How old the last of some builds is. @param released in days since 1970, as `now` */
function describeAge(released: number[], now: number) {
  const age = Math.floor(now) - Math.floor(released.at(-1) ?? 0);
  const gaps = released.map((day, at) => day - (released[at - 1] ?? day)).slice(1);
  const sorted = gaps.slice(-12).sort((a, b) => a - b);
  const usual = ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
  const days = sorted.length < 2 ? null : Math.round(usual) || null;
  return { age_days: age, cadence_days: days, behind_days: days === null ? null : Math.max(0, age - days) };
}

/** The ids of the characters that builds added and that still exist. */
function idsOf(seen: World): string[] {
  return seen.slice(-2).map(({ word }) => `c-${word}`);
}

function currentProbes(game: string, all: World, seen: World): Probe[] {
  const current = seen.at(-1);
  const found = current ? 200 : 404;
  const build = { expected: current?.build, pick: (json: { build: string }) => json.build };
  const ids = idsOf(seen);
  return [
    { path: `/api/${game}/characters`, status: found, content: build },
    {
      path: `/api/${game}/characters?value[exists]=true`,
      status: found,
      content: { expected: [current?.word], pick: valuesOf },
    },
    {
      path: `/api/${game}/facets?fields=id`,
      status: found,
      content: {
        expected: ['id', 'name', 'value', ...seen.map(({ word }) => `f_${word}`)].sort(),
        pick: (json: { records: { id: string }[] }) => json.records.map(({ id }) => id).sort(),
      },
    },
    {
      path: `/api/${game}/pull_planner`,
      status: found,
      content: {
        expected: current?.word,
        pick: (json: { data: { currency: string } }) => json.data.currency,
      },
    },
    ...all.flatMap((other): Probe[] => {
      const { word } = other;
      const isThere = ids.includes(`c-${word}`) ? 200 : 404;
      const isSeen = seen.includes(other);
      return [
        { path: `/api/${game}/characters/c-${word}`, status: isThere },
        { path: `/api/${game}/compare?ids=base,c-${word}`, status: isThere },
        { path: `/api/${game}/characters?f_${word}=1`, status: current ? (isSeen ? 200 : 400) : 404 },
        { path: `/api/${game}/characters?ids=c-${word}`, status: found },
        { path: `/api/${game}/characters?q=${word}`, status: found },
        { path: `/api/${game}/characters?value=${word}`, status: found },
        { path: `/api/${game}/ds_${word}`, status: isSeen ? 200 : 404 },
      ];
    }),
  ];
}

function valuesOf({ characters }: { characters: { value: string }[] }): string[] {
  return characters.map(({ value }) => value);
}

function proProbes(game: string, all: World, seen: World, tier: Tier): Probe[] {
  const newest = seen.at(-1);
  const probes: Probe[] = [
    {
      path: `/api/${game}/history`,
      status: newest ? 200 : 404,
      content: {
        expected: [seen.length, seen.map(({ build }) => build).reverse()],
        pick: ({ total, builds }: { total: number; builds: RawBuild[] }) => [
          total,
          builds.map(({ build }) => build),
        ],
      },
    },
    { path: `/api/${game}/history?limit=1&offset=1`, status: newest ? 200 : 404 },
    {
      path: `/api/${game}/snapshot/latest`,
      status: newest ? 200 : 404,
      content: { expected: newest?.build, pick: (json: { build: string }) => json.build },
    },
    ...all.flatMap((build, index): Probe[] => [
      {
        path: `/api/${game}/history/c-${build.word}`,
        status: seen.includes(build) ? 200 : 404,
        content: {
          expected: [
            [build.build, 'added'],
            ...seen.slice(index + 2, index + 3).map((later) => [later.build, 'removed']),
          ],
          pick: ({ timeline }: { timeline: { build: string; kind: string }[] }) =>
            timeline.map((entry) => [entry.build, entry.kind]),
        },
      },
      { path: `/api/${game}/snapshot/${build.build}`, status: seen.includes(build) ? 200 : 404 },
      ...all.map((other) => ({
        path: `/api/${game}/diff?from=${build.build}&to=${other.build}`,
        status: seen.includes(build) && seen.includes(other) ? 200 : 404,
      })),
    ]),
  ];
  return tier === 'pro' ? probes : probes.map(({ path }) => ({ path, status: 403 }));
}
