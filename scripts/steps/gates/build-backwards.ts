import { createHash } from 'node:crypto';
import { encodeRecord } from '../../compile/encode-build.ts';
import type { JsonObject } from '../../format/dist-format.ts';
import type { BuildProfile, ListProfile } from '../profile/profile.ts';
import { exampleRecords } from '../rule.ts';
import {
  type BuildStep,
  describeList,
  type ListStep,
  nameSome,
  type Seen,
  type StepCheck,
  type StepFinding,
} from '../step.ts';

const MIN_RECORDS = 3;
/** So many ids of a list are remembered for the next step. */
const MAX_ADDED = 1000;
const DATE = /^\d{4}-\d\d-\d\d/;
const first = exampleRecords(5);

export const buildBackwardsCheck: StepCheck = {
  name: 'build-backwards',
  description:
    'A build is not an older one: it does not equal an earlier build, does not take back what the build before added, and its newest dates do not go back.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: {
    '1.0/characters.json': first,
    '1.1/characters.json': exampleRecords(6),
    '1.2/characters.json': exampleRecords(6),
  },
  fails: {
    '1.0/characters.json': first,
    '1.1/characters.json': exampleRecords(6),
    '1.2/characters.json': first,
  },
  check(step) {
    const equal = findEqualBuild(step);
    if (equal !== undefined) return [equal];
    return step.lists.flatMap((list) => {
      const back = findTakenBack(list, step) ?? findOlderDates(list);
      return back === undefined
        ? []
        : [{ ...back, of: list.after.list, causes: [list.after.list], place: list.place }];
    });
  },
};

function findEqualBuild({ before, after, build, lists, seen }: BuildStep): StepFinding | undefined {
  const hash = hashBuild(after);
  if (hash === hashBuild(before)) return undefined;
  const earlier = (seen.builds ?? []).find((each) => each.hash === hash);
  const roster = lists.find(({ after: { list } }) => list === 'characters');
  if (earlier === undefined || roster === undefined) return undefined;
  return {
    of: 'characters',
    causes: [...new Set([...before.lists.keys(), ...after.lists.keys()])],
    place: roster.place,
    found: `the same content as build ${earlier.build}, and not that of build ${before.build}, which came later`,
    expected: 'a build that is newer than those before it',
    fix: `remove ${build.source.folder}: upstream seems to have published an old dump again; if the game did go back, say so with an override`,
  };
}

/** What a step back is found to be, without its place. */
type Back = Pick<StepFinding, 'found' | 'expected'>;

function findTakenBack({ before, after, renumbered }: ListStep, { seen }: BuildStep): Back | undefined {
  const added = seen.added?.[after.list] ?? [];
  const { byId } = after;
  const least = after.list === 'characters' ? 1 : MIN_RECORDS;
  if (byId === undefined || before.byId === undefined || added.length < least || renumbered.length > 0)
    return undefined;
  const isNew = [...byId.keys()].some((id) => !before.byId?.has(id));
  if (isNew || added.some((id) => byId.has(id) || !before.byId?.has(id))) return undefined;
  return {
    found: `none of the ${added.length} records that the build before added to ${describeList(after)}: ${nameSome(added)}`,
    expected: 'what the build before added, unless the game took it back',
  };
}

function findOlderDates({ before, after, renumbered }: ListStep): Back | undefined {
  if (before.byId === undefined || after.byId === undefined || renumbered.length > 0) return undefined;
  const gone = [...before.byId].filter(([id]) => !after.byId?.has(id)).map(([, record]) => record);
  if (gone.length < MIN_RECORDS) return undefined;
  for (const key of dateKeys(gone)) {
    const newest = after.records.map((record) => dateIn(record, key)).reduce((a, b) => (a > b ? a : b), '');
    const newer = gone.filter((record) => dateIn(record, key) > newest);
    if (newest !== '' && newer.length >= MIN_RECORDS && newer.length > gone.length / 2)
      return {
        found: `${newest} as the newest "${key}" of ${describeList(after)}, and without ${newer.length} records with later ones that the build before had`,
        expected: 'dates that do not go back',
      };
  }
  return undefined;
}

function dateIn(record: JsonObject, key: string): string {
  const value = record[key];
  return typeof value === 'string' && DATE.test(value) ? value : '';
}

function dateKeys(records: readonly JsonObject[]): Set<string> {
  return new Set(
    records.flatMap((record) => Object.keys(record).filter((key) => dateIn(record, key) !== '')),
  );
}

/** What the next step needs to know of this one. @param before the build before; undefined for the first one */
export function rememberBuild(
  seen: Seen,
  before: BuildProfile | undefined,
  after: BuildProfile,
): Required<Pick<Seen, 'builds' | 'added'>> {
  const added = [...after.lists.values()].flatMap(({ list, byId }): [string, string[]][] => {
    const recordsBefore = before?.lists.get(list)?.byId;
    const ids =
      recordsBefore && byId && byId !== recordsBefore
        ? [...byId.keys()].filter((id) => !recordsBefore.has(id))
        : [];
    return ids.length > 0 && ids.length <= MAX_ADDED ? [[list, ids]] : [];
  });
  return {
    builds: [...(seen.builds ?? []), { build: after.build, hash: hashBuild(after) }],
    added: Object.fromEntries(added),
  };
}

const hashes = new WeakMap<ListProfile, string>();

function hashBuild({ lists }: BuildProfile): string {
  return digest([...lists.values()].map((list) => `${list.list} ${hashList(list)}`).sort());
}

/** A list that did not change has the same profile, and is hashed once. */
function hashList(profile: ListProfile): string {
  const cachedHash = hashes.get(profile);
  if (cachedHash !== undefined) return cachedHash;
  const hash = digest(profile.records.map(encodeRecord));
  hashes.set(profile, hash);
  return hash;
}

function digest(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\n');
  return hash.digest('base64url').slice(0, 22);
}
