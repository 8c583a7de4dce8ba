import { setImmediate } from 'node:timers/promises';
import type { GameBuild } from '../data/game-build.ts';
import { foldText, foldTexts } from '../query/fold.ts';
import { isNameKey } from '../query/names.ts';
import { collectionsOf, listOf } from './game-data.ts';

/** A record by its place. */
export interface Place {
  game: GameBuild;
  collection: string;
  row: number;
}

/** Shorter texts are looked up by the beginnings of names only, without typing mistakes. */
export const SHORT_CHARS = 3;
/** How many records of a game a beginning leads to. */
const MAX_PLACES = 10;

const tables = new WeakMap<GameBuild, Map<string, Place[]>>();

/** Finds the records of which a name, in any language, begins with a short text: one or two characters. Of each game in turn, characters first. */
export async function findByPrefix(
  games: readonly GameBuild[],
  text: string,
  most: number,
): Promise<Place[]> {
  const prefix = foldText(text);
  const matches: Place[][] = [];
  for (const game of games) {
    let table = tables.get(game);
    if (table === undefined) {
      // Each game in an event-loop tick of its own.
      await setImmediate();
      table = makeTable(game);
      tables.set(game, table);
    }
    matches.push(table.get(prefix) ?? []);
  }
  const inTurn = Array.from({ length: MAX_PLACES }, (_, at) => matches.flatMap((places) => places[at] ?? []));
  return inTurn.flat().slice(0, most);
}

function makeTable(game: GameBuild): Map<string, Place[]> {
  const table = new Map<string, Place[]>();
  for (const { key: collection } of collectionsOf(game)) {
    const list = listOf(game, collection);
    if (list?.rowOfId === undefined) continue;
    for (const { key, list: isList, values, offsets, rows } of list.columns.values()) {
      if (isList || !isNameKey(key) || key === 'aliases') continue;
      for (const [code, name] of foldTexts(values.map(String)).entries())
        for (const row of rows.subarray(offsets[code], offsets[code + 1]))
          addTo(table, name, { game, collection, row });
    }
  }
  return table;
}

function addTo(table: Map<string, Place[]>, name: string, place: Place): void {
  const characters = [...name.slice(0, 2 * SHORT_CHARS)];
  for (let length = 1; length < SHORT_CHARS; length++) {
    const prefix = characters.slice(0, length).join('');
    const places = table.get(prefix) ?? [];
    const { collection, row } = place;
    const isKnown = places.some((each) => each.collection === collection && each.row === row);
    if (!isKnown && places.length < MAX_PLACES) places.push(place);
    table.set(prefix, places);
  }
}
