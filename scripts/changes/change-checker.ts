// Checks the changes from build to build: runs all checks over all builds of a game, oldest first.
// Each build is surveyed once (survey.ts) and compared with the previous one (data.ts). Every check is pure and sees only these.
// A finding can be lifted by an override in build.json; an override that lifts nothing is a finding itself. A finding that another one causes is
// counted there and not listed.
// Content that the previous build already had in about as many values is not reported again.
// State between builds (`Seen`) is JSON, so that a run can continue from a build that an earlier run compiled.
import path from 'node:path';
import { type BuildCoverage, coverBuild } from '../check/coverage.ts';
import type { CompiledBuild } from '../compile/compile-build.ts';
import { errorAt, type Finding, type Place, placeBelow } from '../findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import type { Aliases } from '../format/dist-format.ts';
import { number, object, type Schema } from '../format/json-schema.ts';
import type { CheckSettings, Override } from '../read/game-schema.ts';
import { checkSchema, compileSchema, type Validate } from '../read/schema.ts';
import { suggestFix } from '../text.ts';
import { CONTENT_CHECKS } from './content-checks.ts';
import * as lists from './data.ts';
import { DEFINITION_CHECKS } from './definition-checks.ts';
import { LIST_CHECKS } from './list-checks.ts';
import { canCarry, findWrongCarried, findWrongRenames, renumberSurvey } from './renamed.ts';
import { type Survey, surveyBuild, surveyContent } from './survey.ts';
import { VALUE_CHECKS } from './value-checks.ts';

/** All checks that an override can lift. */
export const CHANGE_CHECKS: readonly lists.ChangeCheck[] = [
  ...DEFINITION_CHECKS,
  ...CONTENT_CHECKS,
  ...LIST_CHECKS,
  ...VALUE_CHECKS,
];

type BuildSource = CompiledBuild['source'];

/** The only rule for severity: checks in `hold_on` are errors, which hold back a build; all others warn. */
function severityOf(
  { name, warns }: lists.ChangeCheck,
  holdOn: readonly string[] | undefined,
): Finding['severity'] {
  return (holdOn?.includes(name) ?? !warns) ? 'error' : 'warning';
}

const NAMES = CHANGE_CHECKS.map(({ name }) => name);
const LASTING = new Set<string>(CHANGE_CHECKS.filter(({ lasting }) => lasting).map(({ name }) => name));
/** Most of what these find is unchanged: what the previous build had is not reported again. */
const IS_OF_CONTENT = new Set<string>([...DEFINITION_CHECKS, ...CONTENT_CHECKS].map(({ name }) => name));
/** More values than this, and than half of those in the previous build, are a new fault of the same kind. */
const MAX_NEW_VALUES = 5;

/** Checks the builds of a game, oldest first. It keeps only the survey of the previous build, and a little about all builds. */
export class ChangeChecker {
  #seen: lists.Seen = { known: [], pending: {} };
  #before: Survey | undefined;
  /** Whether the previous build could not be compared. */
  #isInterrupted = false;
  /** The overrides of builds that were left out: what they lifted is also in later builds. */
  readonly #skipped: Override[] = [];
  /** The newest compiled build, and the one before it. */
  #newest: { after: Survey; before: Survey | undefined } | undefined;

  get seen(): lists.Seen {
    return this.#seen;
  }

  get before(): Survey | undefined {
    return this.#before;
  }

  resume(seen: unknown, before?: BuildContent): void {
    this.#seen = seen as lists.Seen;
    this.#before = before && surveyContent(before);
    this.#newest = undefined;
  }

  skip({ overrides }: BuildSource): void {
    this.#skipped.push(...overrides);
    this.#before = undefined;
    this.#isInterrupted = true;
  }

  /** Runs all checks. For an incomplete build, only the names in its overrides are checked. @param after the survey of the build */
  check(build: CompiledBuild, whole: boolean, after = surveyBuild(build)): Finding[] {
    const { source } = build;
    const unknown = findUnknownOverrides(source);
    const isAfterFault = this.#isInterrupted;
    this.#isInterrupted = !whole;
    this.#newest = { after, before: this.#before ?? this.#newest?.after };
    if (!whole) {
      this.#before = undefined;
      return unknown;
    }
    const wrong = isAfterFault ? [] : findWrongRenames(this.#before, after, source);
    const data = lists.compareBuilds(this.#before && renumberSurvey(this.#before, source), after, build);
    const found = CHANGE_CHECKS.flatMap((rule) =>
      [...rule.check(data, lists.limitOf(rule, source.checks))].map((finding) => ({
        check: rule.name,
        severity: severityOf({ ...rule, ...finding }, source.holdOn),
        ...finding,
      })),
    );
    const { left, needless } = applyOverrides(
      source,
      found.filter((finding) => this.#isFresh(finding)),
    );
    const reported = leaveOutConsequences([...wrong, ...left], [...wrong, ...found]);
    this.#before = after;
    const earlier = this.#newest.before;
    const describe = (finding: lists.CheckedFinding) =>
      toFinding(source, finding, earlier !== undefined && canCarry(finding, earlier, after));
    this.#remember(found, reported, describe);
    return [
      ...unknown,
      ...findWrongCarried(build, after, earlier),
      ...reported.filter(({ check }) => !LASTING.has(check)).map(describe),
      // The changes since a build that could not be compared are unknown.
      ...(isAfterFault ? [] : needless),
    ];
  }

  cover(game: string, aliases: Aliases): BuildCoverage | undefined {
    return this.#newest && coverBuild(game, this.#newest.after, this.#newest.before, aliases);
  }

  finish(): Finding[] {
    return Object.values(this.#seen.pending);
  }

  /** Whether a finding is about a change, or about content that the previous build did not have, or in far fewer values. */
  #isFresh({ check, of, count = 1 }: lists.CheckedFinding): boolean {
    if (!IS_OF_CONTENT.has(check)) return true;
    if (this.#skipped.some((override) => lifts(override, { check, of }))) return false;
    return !this.#seen.known.some(
      (known) =>
        known.check === check &&
        lists.isWithin(of, known.of) &&
        count - known.count <= Math.max(MAX_NEW_VALUES, known.count / 2),
    );
  }

  #remember(
    found: readonly lists.CheckedFinding[],
    reported: readonly lists.CheckedFinding[],
    describe: (finding: lists.CheckedFinding) => Finding,
  ): void {
    const keyOf = ({ check, of }: lists.CheckedFinding) => `${check} ${of}`;
    const present = new Set(found.map(keyOf));
    const pending = Object.entries(this.#seen.pending).filter(([key]) => present.has(key));
    const added = reported.filter(({ check }) => LASTING.has(check));
    this.#seen = {
      known: found
        .filter(({ check }) => IS_OF_CONTENT.has(check))
        .map(({ check, of, count = 1 }) => ({ check, of, count })),
      pending: Object.fromEntries([
        ...pending,
        ...added.map((finding) => [keyOf(finding), describe(finding)]),
      ]),
    };
  }
}

function applyOverrides(source: BuildSource, findings: readonly lists.CheckedFinding[]) {
  const needed = new Set<number>();
  const left = findings.filter((finding) => {
    const index = source.overrides.findIndex((override) => lifts(override, finding));
    needed.add(index);
    return index === -1;
  });
  const needless = source.overrides.flatMap(({ check, of }, index): Finding[] => {
    if (needed.has(index) || !NAMES.some((name) => name === check)) return [];
    const found = `an override of ${check}${of === undefined ? '' : ` of ${of}`} that build ${source.build} does not need`;
    const expected = 'one override for each finding about this build, and no others';
    return [errorAt('overrides', placeOf(source, index), found, expected, 'remove it')];
  });
  return { left, needless };
}

/** Leaves out findings that others cause. @param all including lifted findings: the consequences of an intended change are intended */
function leaveOutConsequences(left: lists.CheckedFinding[], all: readonly lists.CheckedFinding[]) {
  const follows = (finding: lists.CheckedFinding, { causes = [] }: lists.CheckedFinding) =>
    finding.causes === undefined && causes.some((cause) => lists.isWithin(finding.of, cause));
  return left.filter((finding) => !all.some((cause) => follows(finding, cause)));
}

/** Adds the override that would lift a finding; none can lift a wrong `renamed`. */
function toFinding(
  source: BuildSource,
  { causes, count, warns, ...finding }: lists.CheckedFinding,
  isCarried: boolean,
): Finding {
  const { of, ...renamed } = finding;
  if (finding.check === 'renamed') return renamed;
  const override = JSON.stringify({ check: finding.check, of, reason: '…' });
  const advice = `if this is intended, add ${override} to "overrides" in ${source.folder}/build.json`;
  const fix = finding.fix ? `${finding.fix}; ${advice}` : advice;
  return {
    build: source.build,
    ...finding,
    fix,
    ...(isCarried && finding.carry === undefined && { carry: of.split('.', 1) }),
  };
}

/** Finds overrides whose check does not exist. */
function findUnknownOverrides(source: BuildSource): Finding[] {
  return source.overrides.flatMap(({ check }, index): Finding[] => {
    if (NAMES.some((name) => name === check)) return [];
    const place = placeBelow(placeOf(source, index), 'check');
    const found = `an override of "${check}", which cannot be overridden`;
    return [errorAt('overrides', place, found, `one of ${NAMES.join(', ')}`, suggestFix(check, NAMES).fix)];
  });
}

function lifts(
  { check, of }: Override,
  finding: Pick<lists.CheckedFinding, 'of'> & { check: string },
): boolean {
  return check === finding.check && (of === undefined || lists.isWithin(finding.of, of));
}

function placeOf({ folder }: BuildSource, index: number): Place {
  return { file: `${folder}/build.json`, pointer: `/overrides/${index}` };
}

/** The JSON Schema of `checks` in game.json, with every check that has thresholds, for editors. */
export function settingsSchema(): Schema {
  const schemaOf = ({ description, thresholds = {} }: lists.ChangeCheck) => {
    const limits = Object.entries(thresholds).map(([name, { default: value, min = 0, max = 1, help }]) => [
      name,
      number({ minimum: min, maximum: max, default: value, help }),
    ]);
    return object({}, Object.fromEntries(limits), { help: description });
  };
  const settable = CHANGE_CHECKS.filter(({ thresholds }) => thresholds !== undefined);
  return object({}, Object.fromEntries(settable.map((rule) => [rule.name, schemaOf(rule)])), {
    help: 'Thresholds of checks, by the name of the check. Without it, the defaults apply.',
  });
}

/** Validates `checks` of a game.json. @param folder the game's folder, for findings */
export function checkSettings(folder: string, checks: CheckSettings): Finding[] {
  validSettings ??= compileSchema(settingsSchema());
  const place = { file: path.posix.join(folder, 'game.json'), pointer: '/checks' };
  return checkSchema(validSettings, checks, 'definition', place);
}

let validSettings: Validate | undefined;
