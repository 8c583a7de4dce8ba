import path from 'node:path';
import type { CompiledBuild } from '../compile/compile-build.ts';
import type { JsonObject } from '../format/dist-format.ts';
import { nameSome, timeOf } from '../text.ts';
import * as data from './data.ts';
import { isEmpty, type List, valueAt } from './survey.ts';

// Checks of the existence of builds, datasets and records.

const idsRenumberedCheck: data.ChangeCheck = {
  name: 'ids-renumbered',
  description: 'At most 10 % of the names in a list move to another id.',
  check: ({ changes, build }) =>
    changes.flatMap((change) => {
      const { after, renumbered, earlier } = change;
      if (renumbered.length === 0) return [];
      const examples = renumbered.map(({ name, from, to }) => `"${name}" is ${to} and was ${from}`);
      const found = `other ids for ${renumbered.length} names of ${after.list}: ${nameSome(examples)}`;
      const expected = `the ids of build ${earlier}: clients keep ids, and would get other records`;
      return [data.findingOf(change, [], found, expected, proposeRenamed(build, after.list, renumbered))];
    }),
};

/** More pairs are not readable on a terminal. */
const MAX_PAIRS = 20;

/** Advice to record renumbered ids in build.json: the pairs, ready to paste; if there are many, the command that writes them to a file. */
function proposeRenamed({ source }: CompiledBuild, list: string, pairs: readonly data.Renumbered[]) {
  const { build, folder } = source;
  const renamed = { [list]: Object.fromEntries(pairs.map(({ from, to }) => [from, to])) };
  const command = `gamedata renumber ${path.posix.basename(path.posix.dirname(folder))} ${build}`;
  const todo =
    pairs.length > MAX_PAIRS
      ? `run ${command}, which writes all ${pairs.length} pairs of ids to a file`
      : `add "renamed": ${JSON.stringify(renamed)} to ${folder}/build.json, or run ${command}`;
  return { fix: `if these are the same records, ${todo}`, build, renamed };
}

const KINDS = { list: 'a list of records', object: 'one object' };

const datasetGoneCheck: data.ChangeCheck = {
  name: 'dataset-gone',
  description: 'A dataset that had content still has some, and stays a list or an object.',
  check: ({ before, after, build }) =>
    [...(before?.lists.values() ?? [])].flatMap((earlier): data.ChangeFinding[] => {
      const { list, kind } = earlier;
      const later = after.lists.get(list);
      const isOther = later !== undefined && later.kind !== kind;
      const isGone = (later === undefined || holdsNothing(later)) && !holdsNothing(earlier);
      if (list === 'characters' || !(isOther || isGone)) return [];
      const { place = { file: `${build.source.folder}/build.json`, pointer: '', line: 1 } } =
        build.datasets.find(({ key }) => key === list) ?? {};
      return [
        {
          of: list,
          place,
          found: isOther
            ? `"${list}" as ${KINDS[later.kind]} in build ${after.build}`
            : `${later ? 'nothing in the' : 'no'} dataset "${list}" in build ${after.build}`,
          expected: `${isOther ? KINDS[kind] : 'a dataset with content'}, as in build ${before?.build}`,
          ...(isOther && { fix: 'give it the same form in every build, or another key from this build on' }),
        },
      ];
    }),
};

const holdsNothing = ({ records }: List) => records.every(isEmpty);

const recordsLostCheck: data.ChangeCheck = {
  name: 'records-lost',
  description:
    'No character disappears, except a few with the banner that named them, and few records of a dataset without others in their place. Unless the game sets their share, these are not its last three or more, nor two or more that start after all others.',
  thresholds: {
    max_lost_share: {
      default: 0.05,
      help: 'the share of the records of a dataset that may disappear without others in their place; if set, also the newest',
    },
    max_lost_characters: { default: 0, help: 'the share of the characters that may disappear' },
  },
  check: ({ changes, build }, limit) =>
    changes.flatMap((change): data.ChangeFinding[] => {
      const { before, after, earlier } = change;
      const lost = findLost(change);
      const all = before.records.length;
      // In a rotation, a dataset's records are replaced by others.
      const fewer = Math.min(lost.length, all - after.records.length);
      const isSet = build.source.checks['records-lost']?.max_lost_share !== undefined;
      const isNewest = !isSet && isOlder(change, lost);
      const isFew =
        after.list === 'characters'
          ? lost.length <= all * limit('max_lost_characters') || hasLeft(changes, change, lost)
          : hasEnded(change, lost, build.source.released_at) ||
            (!isNewest && (fewer < 3 || fewer <= all * limit('max_lost_share')));
      if (isFew || after.kind === 'object' || after.records.length === 0) return [];
      const moved = data.findMovedAway(before, after);
      const found = `${lost.length} of the ${all} records of ${after.list} in build ${earlier} are missing${isNewest ? ', among them the newest' : ''}: ${nameSome(lost)}`;
      return [
        data.findingOf(change, [], found, 'the records of the build before: a game adds and edits', {
          changed: { attributes: [after.list], count: lost.length, all },
          ...(moved.length > 0 && proposeRenamed(build, after.list, moved)),
        }),
      ];
    }),
};

/** More characters, and a larger share, do not leave at once. */
const MAX_LEFT = 4;
const MAX_LEFT_SHARE = 0.03;

/** Whether a few characters left with a banner or event that named them, and nothing names them now: a damaged table leaves these as they were. */
function hasLeft(changes: data.BuildData['changes'], own: data.ListChange, lost: readonly string[]): boolean {
  const most = Math.min(MAX_LEFT, own.before.records.length * MAX_LEFT_SHARE);
  const isNamed = (record: JsonObject) => lost.some((id) => JSON.stringify(record).includes(`"${id}"`));
  const others = changes.filter((change) => change !== own);
  if (lost.length > most || isOlder(own, lost) || others.some(({ after }) => after.records.some(isNamed)))
    return false;
  return others.some(({ before, after }) =>
    before.records.some((each) => each.start && !after.byId?.has(String(each.id)) && isNamed(each)),
  );
}

/** Whether all events that ended before some day are gone, and no others. */
function hasEnded({ before, after }: data.ListChange, lost: readonly string[], released: string): boolean {
  const endOf = (id: string) => timeOf(before.byId?.get(id)?.end);
  const last = lost.reduce((latest, id) => Math.max(latest, endOf(id)), 0);
  const kept = [...(before.byId?.keys() ?? [])].filter((id) => endOf(id) < last && after.byId?.has(id));
  return last < Date.parse(released) && kept.length <= lost.length * MAX_KEPT_SHARE;
}
const MAX_KEPT_SHARE = 0.1;

const START = /(?:^|[._])(?:start|opens?|date|released_at)$/;

/**
 * Whether a list lost its newest records, as if an older table were read: its last three or more, or two or more that start after all others. A list
 * that lost more than a tenth has only what is current, such as four events of which one ended.
 */
function isOlder({ before, after }: data.ListChange, lost: readonly string[]): boolean {
  const isFewer = before.records.length - after.records.length === lost.length;
  if (!isFewer || lost.length < 2 || lost.length * 10 > after.records.length) return false;
  const ids = [...(before.byId?.keys() ?? [])];
  if (lost.length > 2 && lost.every((id, at) => ids.at(at - lost.length) === id)) return true;
  return [...before.attributes.values()].some(({ key, path }) => {
    if (!START.test(key)) return false;
    const startOf = (record: JsonObject = {}) => timeOf(valueAt(record, path)) || 0;
    const latest = after.records.reduce((most, record) => Math.max(most, startOf(record)), 0);
    const later = lost.filter((id) => startOf(before.byId?.get(id)) > latest);
    return latest > 0 && later.length > 1;
  });
}

/** The ids of lost records; for a list without ids, its last positions. */
function findLost({ before, after, renumbered }: data.ListChange): string[] {
  if (before.byId === undefined || after.byId === undefined)
    return before.records.slice(after.records.length).map((_, at) => `#${after.records.length + at}`);
  const moved = new Set(renumbered.map(({ from }) => from));
  return [...before.byId.keys()].filter((id) => !after.byId?.has(id) && !moved.has(id));
}

export const LIST_CHECKS = [idsRenumberedCheck, datasetGoneCheck, recordsLostCheck];
