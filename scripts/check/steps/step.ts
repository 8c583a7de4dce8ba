import type { CompiledBuild, CompiledRecord } from '../../compile/compile-build.ts';
import type { CheckName } from '../../findings/check-names.ts';
import type { Place } from '../../findings/findings.ts';
import type { CheckFinding } from '../check.ts';
import { type FieldChange, findFieldChanges } from './field-changes.ts';
import type { BuildProfile, ListProfile } from './profile.ts';

/** The least and the greatest of some numbers. */
export interface Range {
  min: number;
  max: number;
}

/** What all builds so far have had: the rarities, by the name of the list. */
export type SeenRarities = Readonly<Record<string, Range>>;

/** A list, or an object, that both builds of a step have in the same form. */
export interface ListStep {
  before: ListProfile;
  after: ListProfile;
  /** Where the later one comes from. */
  place: Place;
  /** Of the later one, in the order of its profile; empty for an object. */
  records: readonly CompiledRecord[];
  changes: readonly FieldChange[];
}

/** The step from one build to the next, as gates see it. */
export interface BuildStep {
  before: BuildProfile;
  after: BuildProfile;
  /** The later build, for the places of findings. */
  build: CompiledBuild;
  lists: readonly ListStep[];
  /** Of all builds before the later one. */
  rarities: SeenRarities;
}

/** What a gate finds; `of` names what it is about, as an override does: a list or an attribute of it (`characters.stats.atk`). */
export type StepFinding = CheckFinding & { of: string };

/** A gate: one thing that must hold from a build to the next, unless the later one says why it does not. `check` is pure. */
export interface StepCheck {
  /** Stable; findings carry it, and overrides name it. */
  name: CheckName;
  /** What holds when nothing is found, as a sentence. */
  description: string;
  check(step: BuildStep): StepFinding[];
}

/** Puts two builds beside each other, list by list. */
export function makeStep(
  before: BuildProfile,
  after: BuildProfile,
  build: CompiledBuild,
  rarities: SeenRarities,
): BuildStep {
  const lists = [...after.lists.values()].flatMap((list): ListStep[] => {
    const earlier = before.lists.get(list.list);
    if (earlier === undefined || earlier.kind !== list.kind) return [];
    return [
      {
        before: earlier,
        after: list,
        ...sourceOf(build, list.list),
        changes: findFieldChanges(earlier, list),
      },
    ];
  });
  return { before, after, build, lists, rarities };
}

function sourceOf(build: CompiledBuild, list: string): { place: Place; records: CompiledRecord[] } {
  const dataset = build.datasets.find(({ key }) => key === list);
  if (dataset === undefined) return { place: build.rosterPlace, records: build.characters };
  return { place: dataset.place, records: dataset.kind === 'list' ? dataset.records : [] };
}

/** What a message calls the list or object. */
export function describeList({ list, kind }: ListProfile): string {
  return kind === 'object' ? `the dataset "${list}"` : list;
}

const MOST_NAMED = 3;

/** The first few of a list of words, and how many more there are. */
export function nameSome(words: readonly string[]): string {
  const more = words.length - MOST_NAMED;
  const named = words.slice(0, MOST_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
