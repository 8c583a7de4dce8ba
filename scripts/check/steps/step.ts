import type { CompiledBuild, CompiledRecord } from '../../compile/compile-build.ts';
import type { CheckName } from '../../findings/check-names.ts';
import type { Place } from '../../findings/findings.ts';
import type { CheckFinding } from '../check.ts';
import { type FieldChange, findFieldChanges } from './field-changes.ts';
import type { BuildProfile, ListProfile } from './profile.ts';

/** The smallest and the largest of some numbers. */
export interface Range {
  min: number;
  max: number;
}

/** The range of the rarities in all builds so far, by the name of the list. */
export type SeenRarities = Readonly<Record<string, Range>>;

/** A list or object that is in both builds of a step, and of the same form. */
export interface ListStep {
  before: ListProfile;
  after: ListProfile;
  /** Where the later list or object comes from. */
  place: Place;
  /** The records of the later list, in the order of its profile; empty for an object. */
  records: readonly CompiledRecord[];
  changes: readonly FieldChange[];
}

/** The step from one build to the next, as gates get it. */
export interface BuildStep {
  before: BuildProfile;
  after: BuildProfile;
  /** The later build, for the places of findings. */
  build: CompiledBuild;
  lists: readonly ListStep[];
  /** The rarities of all builds before the later one. */
  rarities: SeenRarities;
}

/** What a gate finds. `of` is the list or the attribute in it (`characters.stats.atk`), as in an override. */
export type StepFinding = CheckFinding & { of: string };

/** A gate: one rule for the step from a build to the next, which an override of the later build can lift. `check` is pure. */
export interface StepCheck {
  /** Part of the published findings and overrides: it does not change. */
  name: CheckName;
  /** The rule, as a sentence. */
  description: string;
  check(step: BuildStep): StepFinding[];
}

/** Pairs the lists and objects of two builds. */
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

/** The text for a list or object in messages. */
export function describeList({ list, kind }: ListProfile): string {
  return kind === 'object' ? `the dataset "${list}"` : list;
}

const MAX_NAMED = 3;

/** The first words of a list, and how many more it has. */
export function nameSome(words: readonly string[]): string {
  const more = words.length - MAX_NAMED;
  const named = words.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
