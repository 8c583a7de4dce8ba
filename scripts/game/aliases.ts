import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import { type Aliases, parseRecord } from '../format/dist-format.ts';
import { findNearest } from '../lib/nearest.ts';
import { ALIASES_FILE } from '../read/game/read-aliases.ts';
import type { GameSource } from '../read/game/read-game.ts';

type Lists = ReadonlyMap<string, readonly string[]>;

/** Returns the aliases of the records that a build has: no file of a build names a record of a later one. */
export function aliasesIn(content: BuildContent, aliases: Aliases): Aliases {
  const lists = idsOf(content, aliases);
  const present = Object.entries(aliases).map(([collection, byId]) => {
    const ids = new Set(lists.get(collection));
    return [collection, Object.fromEntries(Object.entries(byId).filter(([id]) => ids.has(id)))] as const;
  });
  return Object.fromEntries(present.filter(([, byId]) => Object.keys(byId).length > 0));
}

/** Finds aliases of records that the newest build does not have. */
export function findUnknownAliases({ folder, aliases }: GameSource, newest: BuildContent): Finding[] {
  const lists = idsOf(newest, aliases);
  const file = path.posix.join(folder, ALIASES_FILE);
  return Object.entries(aliases).flatMap(([collection, byId]) => {
    const ids = lists.get(collection) ?? [];
    const idsOfRoster = new Set(ids);
    const unknown = Object.keys(byId).filter((id) => !idsOfRoster.has(id));
    return unknown.map((id): Finding => {
      const near = findNearest(id, ids);
      return {
        check: 'aliases',
        severity: 'warning',
        place: { file, pointer: `/${collection}/${escapePointer(id)}` },
        found: `aliases of "${id}" in ${collection}, which ${newest.build} does not have`,
        expected: 'the id of a record of the newest build',
        ...(near !== undefined && { fix: `did you mean "${near}"? Otherwise remove it` }),
      };
    });
  });
}

/** The ids of the collections that have aliases. */
function idsOf({ characters, datasets }: BuildContent, aliases: Aliases): Lists {
  const lists = new Map<string, readonly string[]>();
  for (const collection of Object.keys(aliases)) {
    const dataset = datasets.get(collection);
    const records =
      collection === 'characters' ? characters : dataset?.kind === 'list' ? dataset.records : [];
    lists.set(
      collection,
      records.map((text) => String(parseRecord(text).id)),
    );
  }
  return lists;
}

function escapePointer(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}
