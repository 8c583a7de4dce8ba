import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { Finding } from '../../findings/findings.ts';
import type { BuildContent } from '../../format/build-content.ts';
import { datasetGoneCheck } from './dataset-gone.ts';
import { datasetKindsCheck } from './dataset-kinds.ts';
import { datasetLossCheck } from './dataset-loss.ts';
import { fieldEmptiedCheck } from './field-emptied.ts';
import { fieldKindsCheck } from './field-kinds.ts';
import { fieldVanishedCheck } from './field-vanished.ts';
import { idsRenumberedCheck } from './ids-renumbered.ts';
import { namesLostCheck } from './names-lost.ts';
import { applyOverrides, findUnknownOverrides, type GateFinding } from './overrides.ts';
import { type BuildProfile, profileBuild, profileContent } from './profile.ts';
import { rarityRangeCheck, widenRarities } from './rarity-range.ts';
import { rosterLossCheck } from './roster-loss.ts';
import { makeStep, type SeenRarities, type StepCheck } from './step.ts';

/** All gates between a build and the next. */
export const STEP_CHECKS: readonly StepCheck[] = [
  rosterLossCheck,
  idsRenumberedCheck,
  namesLostCheck,
  rarityRangeCheck,
  fieldEmptiedCheck,
  fieldVanishedCheck,
  fieldKindsCheck,
  datasetGoneCheck,
  datasetLossCheck,
  datasetKindsCheck,
];

const NAMES = STEP_CHECKS.map(({ name }) => name);

/** Checks the builds of a game, oldest first. Only the profile of the build before is kept, and ranges of all builds. */
export class StepChecker {
  #before: BuildProfile | undefined;
  #rarities: SeenRarities = {};

  /** The rarities of all builds so far. */
  get rarities(): SeenRarities {
    return this.#rarities;
  }

  /**
   * Continues after a build that an earlier run checked.
   *
   * @param rarities those of all builds up to that one
   * @param before that build; undefined if the next build needs no check either
   */
  resume(rarities: SeenRarities, before?: BuildContent): void {
    this.#rarities = rarities;
    this.#before = before && profileContent(before);
  }

  /**
   * Runs all gates of the step to the next build, and applies its overrides.
   *
   * @param whole whether this build and all before it are without errors. If not, only the names in the overrides are checked: a build that
   * was read in part differs from its neighbours because of errors that are reported already.
   */
  check(build: CompiledBuild, whole: boolean): Finding[] {
    const unknown = findUnknownOverrides(build.source, NAMES);
    if (!whole) return unknown;
    const after = profileBuild(build);
    const found = this.#before ? this.#checkStep(this.#before, after, build) : [];
    this.#before = after;
    this.#rarities = widenRarities(this.#rarities, after);
    return [...unknown, ...applyOverrides(build.source, found, NAMES)];
  }

  #checkStep(before: BuildProfile, after: BuildProfile, build: CompiledBuild): GateFinding[] {
    const step = makeStep(before, after, build, this.#rarities);
    return STEP_CHECKS.flatMap(({ name, check }) =>
      check(step).map((finding): GateFinding => ({ check: name, ...finding })),
    );
  }
}
