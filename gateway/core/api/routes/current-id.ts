import type { GameBuild } from '../../catalog/game-build.ts';
import { getLoaded } from '../../lib/part.ts';
import { suggest } from '../../lib/suggest.ts';
import type { Collection } from '../../query/collection.ts';
import { MEANT_VALUES } from '../ports.ts';

/**
 * Returns the current id of a record that was renumbered.
 *
 * @param collection `characters` or the key of a dataset
 * @param id an id that no current record has: an id that was reused means the newer record
 * @returns the id and the address of the record, for Content-Location; undefined if no record had the id
 */
export function findCurrentId(
  { slug, currentIds }: GameBuild,
  collection: string,
  id: string,
): { id: string; location: string } | undefined {
  const current = currentIds.get(collection)?.get(id);
  if (current === undefined) return undefined;
  return { id: current, location: `/api/${slug}/${collection}/${encodeURIComponent(current)}` };
}

/** Suggests an id for one that no record has, at the end of an error message: that of the record with this name, or the nearest one. */
export function suggestId(id: string, list: Collection): string {
  return getLoaded(MEANT_VALUES)?.suggestNamed(id, list) || suggest(id, list.rowOfId?.keys() ?? []);
}
