import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { createRandom } from '../../support/create-random.ts';

const SEED = 7;
/** In an address, stands for the number of the request: requests.lua writes it, with seven digits. */
const COUNTER = '~n~';
/** How many different addresses a row has. */
const countOf = (quick: boolean): number => (quick ? 5000 : 50_000);
/** How many sets a row of comparisons has: more than a gateway can respond to during the measurement. */
export const setsOf = (quick: boolean): number => (quick ? 100_000 : 700_000);

/** Returns the address that is requested first. */
export function firstOf(address: string): string {
  return address.replace(COUNTER, '0000000');
}

/** Addresses of the roster that no cache holds: those of `rosterQueries`, with a number for each request in digits that select nothing. */
export function newRosterQueries(slug: string, characters: readonly JsonObject[], quick: boolean): string[] {
  const queries = rosterQueries(slug, characters, countOf(quick));
  return queries.map((address) => address.replace('&sort=', `${COUNTER}&sort=`));
}

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

/** Addresses of name searches that no cache holds: a part of a name in any of its languages, and a filter that always holds. */
export function newSearchQueries(slug: string, characters: readonly JsonObject[], quick: boolean): string[] {
  const random = createRandom(SEED);
  const names = namesOf(characters);
  return differing(countOf(quick), () => {
    const letters = [...pick(names, random)];
    const start = Math.floor(random() * (letters.length - 2));
    const length = 2 + Math.floor(random() * 6);
    const part =
      letters
        .slice(start, start + length)
        .join('')
        .trim() || letters.join('');
    const limit = 20 + Math.floor(random() * 10);
    return `/api/${slug}/characters?q=${encodeURIComponent(part)}&stats.hp[gte]=0.${COUNTER}&limit=${limit}`;
  });
}

/** Addresses of searches that no cache holds: a name without one of its letters, and a filter that always holds. */
export function newTypoQueries(slug: string, characters: readonly JsonObject[], quick: boolean): string[] {
  const random = createRandom(SEED);
  const names = namesOf(characters).filter((name) => name.length > 4);
  return differing(countOf(quick), () => {
    const limit = 20 + Math.floor(random() * 10);
    const q = encodeURIComponent(withoutLetter(pick(names, random), random));
    return `/api/${slug}/characters?q=${q}&stats.hp[gte]=0.${COUNTER}&limit=${limit}`;
  });
}

/** Addresses of searches over all games, more than are sent: a name of one game, half of them without one of its letters. */
export function globalSearchQueries(characters: readonly JsonObject[], count: number): string[] {
  const random = createRandom(SEED);
  const names = namesOf(characters).filter((name) => name.length > 4);
  return differing(count, () => {
    const name = pick(names, random);
    const q = encodeURIComponent(random() < 0.5 ? name : withoutLetter(name, random));
    return `/api/search?q=${q}&limit=${20 + Math.floor(random() * 10)}&offset=0`;
  });
}

function namesOf(characters: readonly JsonObject[]): string[] {
  return characters.flatMap((character) =>
    Object.entries(character).flatMap(([key, name]) => (/^name(_|$)/.test(key) ? [String(name)] : [])),
  );
}

function withoutLetter(name: string, random: () => number): string {
  const letters = [...name];
  letters.splice(Math.floor(random() * letters.length), 1);
  return letters.join('');
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
