import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildEntry, Manifest } from '../format/dist-format.ts';

/** A game of dist/ with its newest build. */
export interface Contents {
  manifest: Manifest;
  entry: BuildEntry;
  dictionary: AttributeDictionary;
}

const DAY_MS = 86_400_000;
const NAME_IN_LANGUAGE = /^name_([a-z]{2,3}(?:_[a-z]{2,4})?)$/;

/**
 * Returns what games have as two tables of Markdown: a row for each game, and a row for each dataset with a column for each game.
 *
 * @param games at least one
 * @param now ms since 1970, for the age of builds
 */
export function tablesOf(games: readonly Contents[], now: number): string {
  const heads = ['game', 'builds', 'newest', 'age in days', 'records', 'datasets', 'languages', 'pictures'];
  const rows = games.map((game) => rowOf(game, now));
  const columns = games.map(({ manifest }) => manifest.slug);
  const counts = games.map(countsOf);
  const keys = [...new Set(counts.flatMap((ofGame) => [...ofGame.keys()]))].sort();
  const datasets = keys.map((key) => [key, ...counts.map((ofGame) => ofGame.get(key) ?? '')]);
  return `${tableOf(heads, rows)}\n${tableOf(['dataset', ...columns], datasets)}`;
}

function rowOf(game: Contents, now: number): (string | number)[] {
  const { slug, successor, builds } = game.manifest;
  const { build, released_at, characters, datasets } = game.entry;
  const lists = [characters, ...datasets.filter(({ kind }) => kind === 'list')];
  return [
    successor === undefined ? slug : `${slug} (ended)`,
    builds.length,
    build,
    Math.floor(now / DAY_MS) - Math.floor(Date.parse(released_at) / DAY_MS),
    lists.reduce((sum, { count }) => sum + count, 0),
    datasets.length,
    languagesOf(game).join(' '),
    picturedIn(game.dictionary).join(' '),
  ];
}

/** How many records each collection has; `object` for a dataset that is one. */
function countsOf({ entry: { characters, datasets } }: Contents): Map<string, string | number> {
  return new Map<string, string | number>([
    ['characters', characters.count],
    ...datasets.map(({ key, kind, count }) => [key, kind === 'list' ? count : kind] as const),
  ]);
}

function languagesOf({ manifest, dictionary }: Contents): string[] {
  const keys = Object.values(dictionary).flatMap(({ attributes }) => attributes.map(({ key }) => key));
  const codes = keys.flatMap((key) => NAME_IN_LANGUAGE.exec(key)?.[1] ?? []);
  return [...new Set([...(manifest.language === undefined ? [] : [manifest.language]), ...codes])].sort();
}

/** The collections that have addresses of pictures. */
function picturedIn(dictionary: AttributeDictionary): string[] {
  return Object.entries(dictionary)
    .filter(([, { attributes }]) => attributes.some(({ kind, count }) => kind === 'image' && count > 0))
    .map(([key]) => key);
}

function tableOf(heads: readonly string[], rows: readonly (string | number)[][]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
