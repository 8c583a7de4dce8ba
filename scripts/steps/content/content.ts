import type { CompiledBuild, CompiledRecord } from '../../compile/compile-build.ts';
import { findMisspelt, type Misspelt } from './find-misspelt.ts';
import type { Place } from '../../findings/findings.ts';
import type { Limits, Rule } from '../rule.ts';
import type { BuildProfile, ListProfile } from '../profile/profile.ts';
import { sourceOf, type StepFinding } from '../step.ts';

/** A list or object of a build. */
export interface ListContent extends ListProfile {
  /** Where the list or object comes from. */
  place: Place;
  /** The records with their places, in the order of `records`; empty for an object. */
  compiled: readonly CompiledRecord[];
}

/** A build, as checks of content get it. */
export interface Content {
  build: CompiledBuild;
  /** `characters` and every dataset. */
  lists: readonly ListContent[];
  /** The build before; undefined for the first one. */
  before: BuildProfile | undefined;
  /** The names that the mapping reads and no row has, if rows have similar ones. */
  misspelt: readonly Misspelt[];
}

/**
 * A check of what a build says, also of the first one. A build keeps most of the content of the build before: what was found there, in the
 * same list or attribute (`of`), is not reported again. An override lifts a finding in the build that brings it. `check` is pure.
 */
export interface ContentCheck<Name extends string = never> extends Rule<Name> {
  /**
   * Whether a finding is only reported if the newest build has it too. A mapping may name what the game has only later, and what was there in a
   * build before is the matter of gates. `always`: and only if all builds have it.
   */
  lasting?: true | 'always';
  check(content: Content, limits: Limits<Name>): Iterable<StepFinding>;
}

/** Makes what checks of content get. */
export function viewContent(
  { lists }: BuildProfile,
  build: CompiledBuild,
  before: BuildProfile | undefined,
): Content {
  return {
    build,
    before,
    misspelt: findMisspelt(build.trace.tables, build.trace.mapping),
    lists: [...lists.values()].map((list) => {
      const { place, records } = sourceOf(build, list.list);
      return { ...list, place, compiled: records };
    }),
  };
}
