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
import { namesLostCheck } from './names-lost.ts';
import { applyOverrides, findUnknownOverrides, type GateFinding } from './overrides.ts';
import { type BuildProfile, profileBuild, profileContent } from './profile.ts';
import { rarityRangeCheck, widenRarities } from './rarity-range.ts';
import { rosterLossCheck } from './roster-loss.ts';
import { makeStep, type Seen, type StepCheck, type StepFinding } from './step.ts';

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
    const isNew = (finding: GateFinding) => !this.#seen.known.includes(keyOfFinding(finding));
    const found = [
      ...(this.#before ? this.#checkStep(this.#before, after, build) : []),
      ...content.filter(isNew),
    ];
    this.#before = after;
    this.#seen = {
      rarities: widenRarities(this.#seen.rarities, after),
      known: content.map(keyOfFinding).sort(),
    };
    return [...unknown, ...applyOverrides(build.source, found, NAMES)];
  }

  #checkStep(before: BuildProfile, after: BuildProfile, build: CompiledBuild): GateFinding[] {
    const { checks } = build.source;
    const step = makeStep(before, after, build, this.#seen, {
      renumbered: limitsOf(idsRenumberedCheck, checks),
      vanished: limitsOf(fieldVanishedCheck, checks),
      emptied: limitsOf(fieldEmptiedCheck, checks),
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

/** What makes a finding about the content of a build the same as one of the build before. */
function keyOfFinding({ check, of }: GateFinding): string {
  return `${check} ${of}`;
}
