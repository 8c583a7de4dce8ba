import { ownValue } from '../../scripts/format/dist-format.ts';
import type { Attribute } from '../../scripts/format/attributes.ts';
import type { Json, JsonObject } from '../../scripts/format/json.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { Headers } from '../http/problem.ts';
import { suggest } from '../http/suggest.ts';
import type { Log } from '../http/log.ts';
import type { Collection } from '../query/collection.ts';
import { PAGE_HEADERS, pageHeaders } from '../pages/page-headers.ts';
import { valueAt } from './model/facets.ts';
import { allowedPicture, type PictureKeys } from './model/picture.ts';

/** The hosts that pictures of a game may be loaded from, by slug, as the operator says with `--images`. */
export type ImageHosts = ReadonlyMap<string, readonly string[]>;

/** What the lists of a gateway depend on besides the data. */
export interface Audience {
  /** Whether visitors see a sample only: then values that name other records are left out. */
  isSample: boolean;
  images: ImageHosts;
  log: Pick<Log, 'error'>;
}

/** Reports the games of `--images` that are not there: a name that is written wrong allows nothing. They may also arrive later. */
export function reportUnknownGames(
  images: ImageHosts,
  games: readonly Pick<GameBuild, 'slug'>[],
  log: Audience['log'],
): void {
  const slugs = games.map(({ slug }) => slug);
  for (const game of images.keys())
    if (!slugs.includes(game))
      log.error(`--images names a game that is not in dist${suggest(game, slugs)}`, { game });
}

/** How many records are looked at to find hosts that are not allowed. */
const CHECKED = 1000;
const ICONS = /(^|[._])(icon|face|thumb\w*|avatar)$/;

/**
 * Finds the attribute that pictures the records of a list, and reports pictures that may not be shown.
 *
 * @returns undefined if the operator allows no host for the game, or the records have no pictures
 */
export function findPictures(
  { slug }: GameBuild,
  list: Collection,
  attributes: readonly Attribute[],
  { images, log }: Audience,
): PictureKeys | undefined {
  const hosts = images.get(slug) ?? [];
  const named = attributes.filter(({ kind, list: isList }) => kind === 'image' && !isList);
  const key = (named.find((each) => ICONS.test(each.key)) ?? named[0])?.key;
  if (hosts.length === 0 || key === undefined) return undefined;
  const refused = new Set<string>();
  for (let row = 0; row < Math.min(list.count, CHECKED); row++) {
    const value = addressAt(list, row, key);
    if (value === undefined || allowedPicture(value, hosts) !== undefined) continue;
    refused.add(typeof value === 'string' && URL.canParse(value) ? new URL(value).host : String(value));
  }
  if (refused.size > 0)
    log.error('pictures are not shown: their hosts are not in --images', {
      ...{
        game: slug,
        attribute: key,
        hosts: [...refused].slice(0, 10).join(', '),
        allowed: hosts.join(', '),
      },
    });
  return { key, hosts };
}

/** Returns the address of the picture of a row: columns have all single values, also those that only full records have. */
function addressAt({ columns }: Collection, row: number, key: string): Json | undefined {
  const column = columns.get(key);
  return column?.values[column.codes[row] ?? -1];
}

/** Gives a record of a list the picture that only its full record has. */
export function addPicture(record: JsonObject, list: Collection, { key }: PictureKeys): void {
  const row = list.rowOfId?.get(String(record.id));
  const value =
    row === undefined || valueAt(record, key) !== undefined ? undefined : addressAt(list, row, key);
  if (value === undefined) return;
  const steps = key.split('.');
  let part: JsonObject = record;
  for (const step of steps.slice(0, -1)) {
    const inner = ownValue(part, step);
    const next = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
    part[step] = next;
    part = next;
  }
  part[steps.at(-1) ?? ''] = value;
}

/** Makes the header fields of pages, which allow the pictures of a game, of all games, or none. */
export function pictureHeaders(images: ImageHosts): (game: string | undefined, isOfAll?: boolean) => Headers {
  const allow = (hosts: readonly string[]) => {
    const sources = [...new Set(hosts)].map((host) => ` https://${host}`).join('');
    return sources === '' ? PAGE_HEADERS : pageHeaders({ 'img-src': `'self'${sources}` });
  };
  const byGame = new Map([...images].map(([slug, hosts]) => [slug, allow(hosts)]));
  const ofAll = allow([...images.values()].flat());
  return (game, isOfAll) => (isOfAll ? ofAll : (byGame.get(game ?? '') ?? PAGE_HEADERS));
}
