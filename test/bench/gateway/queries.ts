import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { createRandom } from '../../support/create-random.ts';

const SEED = 7;
/** How many addresses a row has: more than a gateway can respond to during the measurement, so that none is requested twice. */
export const countOf = (quick: boolean): number => (quick ? 5000 : 700_000);

/** Addresses of the roster, all different: two filters, sort, limit 20. */
export function rosterQueries(slug: string, characters: readonly JsonObject[], count: number): string[] {
  const random = createRandom(SEED);
  const filters = ['element', 'weapon', 'region', 'rarity'].map((key) => ({
    key,
    values: valuesOf(characters, key),
  }));
  const stats = Object.keys(characters[0]?.stats as JsonObject);
  return differing(count, () => {
    const { key, values } = pick(filters, random);
    const value = encodeURIComponent(pick(values, random));
    const least = (400 * random()).toFixed(3);
    const sort = `${random() < 0.5 ? '-' : ''}stats.${pick(stats, random)}`;
    return `/api/${slug}/characters?${key}=${value}&stats.hp[gte]=${least}&sort=${sort}&limit=20`;
  });
}

/** Addresses of name searches, all different: a part of a name in any of its languages. */
export function searchQueries(slug: string, characters: readonly JsonObject[], count: number): string[] {
  const random = createRandom(SEED);
  const names = characters.flatMap((character) =>
    Object.entries(character).flatMap(([key, name]) => (/^name(_|$)/.test(key) ? [String(name)] : [])),
  );
  return differing(count, () => {
    const letters = [...pick(names, random)];
    const start = Math.floor(random() * (letters.length - 2));
    const length = 2 + Math.floor(random() * 6);
    const part =
      letters
        .slice(start, start + length)
        .join('')
        .trim() || letters.join('');
    const limit = 20 + Math.floor(random() * 10);
    return `/api/${slug}/characters?q=${encodeURIComponent(part)}&limit=${limit}`;
  });
}

/** Addresses of comparisons of six characters, all different. */
export function compareQueries(slug: string, characters: readonly JsonObject[], count: number): string[] {
  const random = createRandom(SEED);
  return differing(count, () => {
    const ids = new Set<string>();
    while (ids.size < 6) ids.add(String(pick(characters, random).id));
    return `/api/${slug}/compare?ids=${[...ids].join()}`;
  });
}

/** Calls `make` until there are `count` different results. */
function differing(count: number, make: () => string): string[] {
  const made = new Set<string>();
  for (let attempt = 0; made.size < count && attempt < 4 * count; attempt++) made.add(make());
  return [...made];
}

function valuesOf(characters: readonly JsonObject[], key: string): string[] {
  return [...new Set(characters.flatMap((character) => (key in character ? String(character[key]) : [])))];
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
