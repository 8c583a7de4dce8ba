import type { BuildCoverage } from '../check/coverage.ts';
import type { StepChecker } from '../check/step-checks.ts';
import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings/findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import type { Aliases } from '../format/dist-format.ts';
import type { Override } from '../read/game/definition.ts';
import { canCarry, findWrongCarried } from './carried.ts';
import { followsFrom, leaveOutConsequences } from './causes.ts';
import { type Content, viewContent } from './content/content.ts';
import { CONTENT_CHECKS } from './content/content-checks.ts';
import { languageCopiedCheck } from './content/language-copied.ts';
import { countAliases, coverBuild } from './coverage/coverage.ts';
import { buildBackwardsCheck, rememberBuild } from './gates/build-backwards.ts';
import { categoriesChangedCheck } from './gates/categories-changed.ts';
import { addFilled, datasetGoneCheck } from './gates/dataset-gone.ts';
import { datasetKindsCheck } from './gates/dataset-kinds.ts';
import { datasetLossCheck } from './gates/dataset-loss.ts';
import { fieldEmptiedCheck } from './gates/field-emptied.ts';
import { fieldKindsCheck } from './gates/field-kinds.ts';
import { fieldVanishedCheck } from './gates/field-vanished.ts';
import { idsRenumberedCheck } from './gates/ids-renumbered.ts';
import { namesChangedCheck } from './gates/names-changed.ts';
import { namesLostCheck } from './gates/names-lost.ts';
import { newRecordsIncompleteCheck } from './gates/new-records-incomplete.ts';
import { newValuesCheck } from './gates/new-values.ts';
import { numberRangeCheck } from './gates/number-range.ts';
import { rarityRangeCheck, widenRarities } from './gates/rarity-range.ts';
import { recordsLostCheck } from './gates/records-lost.ts';
import { rosterLossCheck } from './gates/roster-loss.ts';
import { valuesJumpedCheck } from './gates/values-jumped.ts';
import { valuesLostCheck } from './gates/values-lost.ts';
import { valuesMergedCheck } from './gates/values-merged.ts';
import { valuesMovedCheck } from './gates/values-moved.ts';
import { valuesRewrittenCheck } from './gates/values-rewritten.ts';
import { valuesRoundedCheck } from './gates/values-rounded.ts';
import { valuesScaledCheck } from './gates/values-scaled.ts';
import {
  applyOverrides,
  findUnknownOverrides,
  type GateFinding,
  isLifted,
  isWithin,
  withOverride,
} from './overrides.ts';
import { type BuildProfile, profileBuild, profileContent } from './profile/profile.ts';
import { findWrongRenames, renumberProfile } from './renamed-records.ts';
import { limitsOf, type Rule } from './rule.ts';
import { type KnownContent, makeStep, type Seen, type StepCheck, type StepFinding } from './step.ts';

/** All gates between a build and the next. */
export const GATES: readonly StepCheck<string>[] = [
  buildBackwardsCheck,
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
  valuesJumpedCheck,
  valuesRoundedCheck,
  valuesMovedCheck,
  valuesMergedCheck,
  valuesRewrittenCheck,
  categoriesChangedCheck,
  namesChangedCheck,
  numberRangeCheck,
  newValuesCheck,
];

/** The checks whose findings an override can lift. */
const NAMES = [...GATES, ...CONTENT_CHECKS].map(({ name }) => name);
const LASTING = new Set(CONTENT_CHECKS.filter(({ lasting }) => lasting).map(({ name }) => name));
const ALWAYS = new Set(CONTENT_CHECKS.filter(({ lasting }) => lasting === 'always').map(({ name }) => name));
const NOTHING_SEEN: Seen = { rarities: {}, filled: [], known: [], pending: {} };

/** Checks the builds of a game, oldest first. Only the profile of the build before is kept, and a little about all builds. */
export class GameStepChecker implements StepChecker {
  #before: BuildProfile | undefined;
  #seen = NOTHING_SEEN;
  /** The profile that `survey` made last. */
  #surveyed: { build: CompiledBuild; profile: BuildProfile } | undefined;
  /** Whether the build before could not be compared. */
  #isInterrupted = false;
  /** The overrides of builds that were left out: what they lifted is in the builds after them too. */
  readonly #skipped: Override[] = [];
  /** The newest build that was compiled, and the one before it. */
  #newest: { after: BuildProfile; before: BuildProfile | undefined } | undefined;

  /** What is remembered of all builds so far. */
  get seen(): Seen {
    return this.#seen;
  }

  resume(seen: unknown, before?: BuildContent): void {
    this.#seen = seen as Seen;
    this.#before = before && profileContent(before);
    this.#newest = undefined;
  }

  skip({ overrides }: CompiledBuild['source']): void {
    this.#skipped.push(...overrides);
    this.#before = undefined;
    this.#isInterrupted = true;
  }

  survey(build: CompiledBuild): BuildProfile {
    const profile = profileBuild(build, this.#before);
    this.#surveyed = { build, profile };
    return profile;
  }

  /** Runs the checks of the content of the next build and all gates of the step to it. If it is not whole, only the names in its overrides are checked. */
  check(build: CompiledBuild, whole: boolean): Finding[] {
    const { source } = build;
    const after = this.#surveyed?.build === build ? this.#surveyed.profile : this.survey(build);
    const unknown = findUnknownOverrides(source, NAMES);
    const isAfterFault = this.#isInterrupted;
    this.#isInterrupted = !whole;
    this.#newest = { after, before: this.#before ?? this.#newest?.after };
    if (!whole) {
      this.#before = undefined;
      return unknown;
    }
    const wrongRenames = isAfterFault ? [] : findWrongRenames(this.#before, after, source);
    this.#before &&= renumberProfile(this.#before, source);
    const content = checkContent(viewContent(after, build, this.#before));
    const isFirst = this.#seen.builds === undefined;
    const fresh = content.filter(
      (finding) =>
        !isKnown(this.#seen.known, finding) &&
        !isLifted(this.#skipped, finding) &&
        (isFirst || !ALWAYS.has(finding.check)),
    );
    const step = this.#before ? this.#checkStep(this.#before, after, build) : [];
    const findings = [...fresh, ...step];
    const { left, needless } = applyOverrides(source, findings, NAMES);
    const reported = leaveOutConsequences([...wrongRenames, ...left], [...wrongRenames, ...content, ...step]);
    const pending = reported.filter(
      (finding) => LASTING.has(finding.check) && !step.some((other) => followsFrom(other, finding)),
    );
    const remembered = rememberBuild(this.#seen, this.#before, after);
    this.#before = after;
    this.#seen = {
      ...remembered,
      rarities: widenRarities(this.#seen.rarities, after),
      filled: addFilled(this.#seen.filled, after),
      known: content.map(({ check, of, count = 1 }) => ({ check, of, count })),
      pending: this.#keepPending(content, pending, source),
    };
    const before = this.#newest.before;
    const now = reported
      .filter((finding) => !pending.includes(finding))
      .map((finding) => withDataset(finding, before, after));
    // Nothing is known of the step from a build that could not be compared.
    return [
      ...unknown,
      ...findWrongCarried(build, after),
      ...now.map((finding) => withOverride(source, finding)),
      ...(isAfterFault ? [] : needless),
    ];
  }

  cover(game: string, aliases: Aliases): BuildCoverage | undefined {
    return this.#newest && countAliases(coverBuild(game, this.#newest.after, this.#newest.before), aliases);
  }

  finish(): Finding[] {
    return Object.values(this.#seen.pending);
  }

  #keepPending(
    content: readonly GateFinding[],
    fresh: readonly GateFinding[],
    source: CompiledBuild['source'],
  ): Seen['pending'] {
    const present = new Set(content.map(keyOfFinding));
    const pending = Object.entries(this.#seen.pending).filter(([key]) => present.has(key));
    const added = fresh.map((finding) => [keyOfFinding(finding), withOverride(source, finding)]);
    return Object.fromEntries([...pending, ...added]);
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
    return GATES.flatMap((rule) =>
      rule.check(step, limitsOf(rule, checks)).map((finding) => ofRule(rule, finding)),
    );
  }
}

function checkContent(content: Content): GateFinding[] {
  const { checks } = content.build.source;
  return CONTENT_CHECKS.flatMap((rule) =>
    [...rule.check(content, limitsOf(rule, checks))].map((finding) => ofRule(rule, finding)),
  );
}

function ofRule({ name, severity }: Rule<string>, finding: StepFinding): GateFinding {
  return { check: name, severity, ...finding };
}

/** Adds the dataset that a finding is about, if the build can do with that of the build before. */
function withDataset(
  finding: GateFinding,
  before: BuildProfile | undefined,
  after: BuildProfile,
): GateFinding {
  const [dataset = ''] = finding.of.split('.');
  return before && canCarry(dataset, before, after) ? { ...finding, dataset } : finding;
}

/** More values than this, and than half of those in the build before, are a new fault of the same kind. */
const MAX_NEW_VALUES = 5;

/**
 * Whether a finding about the content of a build is one of the build before, also if it was in more attributes there. A game in which a language has
 * the names of another one has them in new lists too.
 */
function isKnown(contents: readonly KnownContent[], { check, of, count = 1 }: GateFinding): boolean {
  const isOfLanguage = check === languageCopiedCheck.name;
  return contents.some(
    (before) =>
      before.check === check &&
      (isWithin(of, before.of) || (isOfLanguage && attributeIn(of) === attributeIn(before.of))) &&
      count - before.count <= Math.max(MAX_NEW_VALUES, before.count / 2),
  );
}

/** The attribute in `characters.name_id`: `name_id`. */
function attributeIn(of: string): string {
  return of.slice(of.indexOf('.') + 1);
}

/** What a finding about content is pending by. */
function keyOfFinding({ check, of }: GateFinding): string {
  return `${check} ${of}`;
}
