import { inOrder, orderChanges } from '../../../scripts/diff/change-order.ts';
import { type GainedElements, isGained } from '../../../scripts/diff/gained-elements.ts';
import type { Change } from './changes.ts';
import { numberFormat } from './format-value.ts';

/** The id of the element with what all may see of a build. */
export const PUBLIC_PATCH = 'public-patch';
/** The id of the place before it, for what Pro keys see. */
export const PRO_PATCH = 'pro-patch';

/** A record that a build changed. */
interface ChangedRecord {
  id: string;
  name?: string;
  changes: Change[];
}

/** What a whole collection gained or lost because the data changed, and not the game. */
interface AttributeChanges {
  gained: string[];
  lost: string[];
  elements?: GainedElements[];
}

/** The response of `/api/{game}/diff`, of which only this is used. */
export interface BuildDiff {
  characters: {
    added: { id: string; name: string }[];
    removed: { id: string; name: string }[];
    changed: ChangedRecord[];
    attributes?: AttributeChanges;
  };
  /** By key. Only a dataset without ids has `changes`. */
  datasets: Record<
    string,
    {
      kind?: 'added' | 'removed';
      added?: string[];
      gained?: string[];
      removed?: string[];
      changed?: ChangedRecord[];
      changes?: Change[];
      names?: Record<string, string>;
      attributes?: AttributeChanges;
    }
  >;
}

/** A record with its name, if it has one. */
export interface PatchRecord {
  id: string;
  name: string | undefined;
}

/** What a build changed in one collection. */
export interface PatchPart {
  /** `characters`, or the key of a dataset. */
  key: string;
  title: string;
  /** `2 new, 14 changed`. */
  summary: string;
  added: PatchRecord[];
  /** How many records this build is the first to serve, although the game had them. */
  gained: number;
  removed: PatchRecord[];
  changed: (PatchRecord & { changes: Change[] })[];
  /** The changes of a collection that has no ids. */
  changes: Change[];
  attributes: AttributeChanges;
}

const NO_ATTRIBUTES: AttributeChanges = { gained: [], lost: [] };

/** Arranges what a build changed: characters, then each dataset. Changes of stats come first in each record. */
export function arrangePatch({ characters, datasets }: BuildDiff): PatchPart[] {
  const parts = [
    toPart('characters', { ...characters, gained: 0, changes: [] }),
    ...Object.entries(datasets).map(([key, { names = {}, ...dataset }]) => {
      const named = (id: string): PatchRecord => ({
        id,
        name: Object.hasOwn(names, id) ? names[id] : undefined,
      });
      const { kind, added = [], gained = [], removed = [], changed = [], changes = [], attributes } = dataset;
      const first = new Set(gained);
      return toPart(key, {
        ...(kind && { kind }),
        ...{ changed: changed.map((record) => ({ ...named(record.id), ...record })), changes },
        ...{ added: added.filter((id) => !first.has(id)).map(named), gained: gained.length },
        removed: removed.map(named),
        ...(attributes && { attributes }),
      });
    }),
  ];
  return parts.filter(({ summary }) => summary !== '');
}

/** What a part is made from. */
interface PartContent {
  kind?: 'added' | 'removed';
  added: readonly PatchRecord[];
  gained: number;
  removed: readonly PatchRecord[];
  changed: readonly (Pick<ChangedRecord, 'id' | 'changes'> & { name?: string | undefined })[];
  changes: Change[];
  attributes?: AttributeChanges;
}

function toPart(key: string, content: PartContent): PatchPart {
  const { kind, added, gained, removed, changes, attributes = NO_ATTRIBUTES } = content;
  const changed = content.changed.flatMap((record) => {
    const ownChanges = record.changes.filter((change) => !isGained(change, attributes.elements));
    return ownChanges.length > 0 ? [{ ...record, changes: ownChanges }] : [];
  });
  const words = key.replaceAll('_', ' ');
  return {
    key,
    title: words.slice(0, 1).toUpperCase() + words.slice(1),
    summary: summarize({ ...content, changed, attributes }),
    added: [...added],
    gained,
    removed: [...removed],
    changed: inOrder(changed.map(({ id, name, changes: own }) => ({ id, name, changes: own }))),
    changes: kind === undefined ? orderChanges(changes) : [],
    attributes,
  };
}

function summarize({ kind, added, gained, removed, changed, changes, attributes }: PartContent): string {
  const { gained: begun = [], lost = [], elements = [] } = attributes ?? {};
  const moved = begun.length + lost.length + elements.length;
  const parts = [
    kind === 'removed' && 'no longer there',
    kind === 'added' && gained === 0 && 'served from this build on',
    added.length > 0 && `${written(added.length)} new`,
    gained > 0 && `${written(gained)} served from this build on`,
    changed.length > 0 && `${written(changed.length)} changed`,
    removed.length > 0 && `${written(removed.length)} removed`,
    kind === undefined &&
      changes.length > 0 &&
      (changes.length === 1 ? '1 change' : `${written(changes.length)} changes`),
  ].filter((part) => part !== false);
  // What only the data changed says nothing to a player, so it is said where there is nothing else.
  if (parts.length > 0 || moved === 0) return parts.join(', ');
  return moved === 1 ? '1 attribute gained or lost' : `${written(moved)} attributes gained or lost`;
}

function written(count: number): string {
  return numberFormat('en-US').format(count);
}
