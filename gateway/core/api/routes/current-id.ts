import type { GameBuild } from '../../catalog/game-build.ts';

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
