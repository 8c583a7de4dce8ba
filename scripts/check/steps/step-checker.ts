import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { Finding } from '../../findings/findings.ts';
import type { BuildContent } from '../../format/build-content.ts';
import { CONTENT_CHECKS } from '../content/content-checks.ts';
import { viewContent } from '../content/content.ts';
import { limitsOf, type Rule } from '../rule.ts';
import { datasetGoneCheck } from './dataset-gone.ts';
import { datasetKindsCheck } from './dataset-kinds.ts';
import { datasetLossCheck } from './dataset-loss.ts';
import { fieldEmptiedCheck } from './field-emptied.ts';
import { fieldKindsCheck } from './field-kinds.ts';
import { fieldVanishedCheck } from './field-vanished.ts';
import { idsRenumberedCheck } from './ids-renumbered.ts';
import { namesChangedCheck } from './names-changed.ts';
import { namesLostCheck } from './names-lost.ts';
import { newRecordsIncompleteCheck } from './new-records-incomplete.ts';
import { newValuesCheck } from './new-values.ts';
import { numberRangeCheck } from './number-range.ts';
import { applyOverrides, findUnknownOverrides, type GateFinding } from './overrides.ts';
import { type BuildProfile, profileBuild, profileContent } from './profile.ts';
import { rarityRangeCheck, widenRarities } from './rarity-range.ts';
import { recordsLostCheck } from './records-lost.ts';
import { rosterLossCheck } from './roster-loss.ts';
import { type KnownContent, makeStep, type Seen, type StepCheck, type StepFinding } from './step.ts';
import { valuesLostCheck } from './values-lost.ts';
import { valuesMergedCheck } from './values-merged.ts';
import { valuesMovedCheck } from './values-moved.ts';
import { valuesRewrittenCheck } from './values-rewritten.ts';
import { valuesRoundedCheck } from './values-rounded.ts';
import { valuesScaledCheck } from './values-scaled.ts';

/** All gates between a build and the next. */
export const STEP_CHECKS: readonly StepCheck<string>[] = [
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
  recordsLostCheck,
  newRecordsIncompleteCheck,
  valuesLostCheck,
  valuesScaledCheck,
  valuesRoundedCheck,
  valuesMovedCheck,
  valuesMergedCheck,
  valuesRewrittenCheck,
  namesChangedCheck,
  numberRangeCheck,
  newValuesCheck,
];

/** The checks whose findings an override can lift. */
const NAMES = [...STEP_CHECKS, ...CONTENT_CHECKS].map(({ name }) => name);
const NOTHING_SEEN: Seen = { rarities: {}, known: [] };

/** Checks the builds of a game, oldest first. Only the profile of the build before is kept, and a little about all builds. */
export class StepChecker {
  #before: BuildProfile | undefined;
  #seen = NOTHING_SEEN;

  /** What is remembered of all builds so far. */
  get seen(): Seen {
    return this.#seen;
  }

  /**
   * Continues after a build that an earlier run checked.
   *
   * @param seen what was remembered of all builds up to that one
   * @param before that build; undefined if the next build needs no check either
   */
  resume(seen: Seen, before?: BuildContent): void {
    this.#seen = seen;
    this.#before = before && profileContent(before);
  }

  /**
   * Runs the checks of the content of the next build and all gates of the step to it, and applies its overrides.
   *
   * @param whole whether this build and all before it are without errors. If not, only the names in the overrides are checked: a build that
   * was read in part differs from its neighbours because of errors that are reported already.
   */
  check(build: CompiledBuild, whole: boolean): Finding[] {
    const unknown = findUnknownOverrides(build.source, NAMES);
    if (!whole) return unknown;
    const after = profileBuild(build);
    const content = checkContent(after, build);
    const found = [
      ...(this.#before ? this.#checkStep(this.#before, after, build) : []),
      ...content.filter((finding) => !isKnown(this.#seen.known, finding)),
    ];
    this.#before = after;
    this.#seen = {
      rarities: widenRarities(this.#seen.rarities, after),
      known: content.map(({ check, of, count = 1 }) => ({ check, of, count })),
    };
    return [...unknown, ...applyOverrides(build.source, found, NAMES)];
  }

  #checkStep(before: BuildProfile, after: BuildProfile, build: CompiledBuild): GateFinding[] {
    const { checks } = build.source;
    const step = makeStep(before, after, build, this.#seen, {
      renumbered: limitsOf(idsRenumberedCheck, checks),
      vanished: limitsOf(fieldVanishedCheck, checks),
      emptied: limitsOf(fieldEmptiedCheck, checks),
      scaled: limitsOf(valuesScaledCheck, checks),
      moved: limitsOf(valuesMovedCheck, checks),
      merged: limitsOf(valuesMergedCheck, checks),
      rewritten: limitsOf(valuesRewrittenCheck, checks),
    });
    return STEP_CHECKS.flatMap((rule) =>
      rule.check(step, limitsOf(rule, checks)).map((finding) => ofRule(rule, finding)),
    );
  }
}

function checkContent(profile: BuildProfile, build: CompiledBuild): GateFinding[] {
  const content = viewContent(profile, build);
  const { checks } = build.source;
  return CONTENT_CHECKS.flatMap((rule) =>
    [...rule.check(content, limitsOf(rule, checks))].map((finding) => ofRule(rule, finding)),
  );
}

function ofRule({ name, severity }: Rule<string>, finding: StepFinding): GateFinding {
  return { check: name, severity, ...finding };
}

/** More values than this, and than half of those in the build before, are a new fault of the same kind. */
const MAX_NEW_VALUES = 5;

/** Whether a finding about the content of a build is one of the build before, also if it was in more attributes there. */
function isKnown(known: readonly KnownContent[], { check, of, count = 1 }: GateFinding): boolean {
  return known.some(
    (before) =>
      before.check === check &&
      (before.of === of || of.startsWith(`${before.of}.`)) &&
      count - before.count <= Math.max(MAX_NEW_VALUES, before.count / 2),
  );
}
