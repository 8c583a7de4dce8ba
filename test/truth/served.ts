import { ChangeChecker } from '../../scripts/changes/change-checker.ts';
import { surveyBuild } from '../../scripts/changes/survey.ts';
import { checkBuild } from '../../scripts/check/rules.ts';
import { type CompiledBuild, compileBuild, encodeBuild } from '../../scripts/compile/compile-build.ts';
import { compileMappings } from '../../scripts/compile/mapping.ts';
import { carryDatasets } from '../../scripts/corrections/apply.ts';
import type { Finding } from '../../scripts/findings.ts';
import type { BuildContent } from '../../scripts/format/build-content.ts';
import { readGame } from '../../scripts/read/game.ts';
import { findBuildFiles } from '../../scripts/read/tables.ts';
import {
  type AcceptedBuild,
  changesOf,
  findCarried,
  findDueBuilds,
  type HeldBuild,
  overridesOf,
  questionOf,
} from '../../scripts/upstream/pull/state.ts';
import { ACCEPT_AFTER } from '../../scripts/upstream/source.ts';

/**
 * What becomes of a real build if nobody is there. It is served at once, also with datasets of the build before (`carried`); its question is
 * accepted because upstream keeps the change (`accepted`); it is served when the question before it is (`later`); it asks something of its own until
 * a person responds (`asked`); or it waits for the question before it (`waiting`).
 */
export interface PulledBuild {
  game: string;
  build: string;
  outcome: 'served' | 'carried' | 'accepted' | 'later' | 'asked' | 'waiting';
  /** How many days after its release it was served; undefined if never. */
  days: number | undefined;
  /** What held it back at first. */
  findings: Finding[];
}

/** A build that later ones are compared with. */
interface Known {
  seen: unknown;
  content: BuildContent;
}

/** Takes the builds of a game in turn, as `gamedata pull --build` does without any override of a person. The first one is served. */
export async function pullBuilds(folder: string, slug: string): Promise<PulledBuild[]> {
  const { value: game } = await readGame(folder, slug);
  if (!game?.usable) throw new Error(`the definition of ${slug} has errors`);
  const { value: mappings } = compileMappings(game);
  const pull = new SimulatedPull(slug, game.title);
  for await (const files of findBuildFiles(game)) {
    const mapping = mappings.get(files.source.definition);
    if (mapping === undefined) throw new Error(`the mapping of ${slug} has errors`);
    const { value: tables } = await files.read();
    const { value: compiled } = await compileBuild(tables, mapping);
    pull.take({ ...compiled, source: { ...compiled.source, overrides: [] } });
  }
  return pull.pulled;
}

/** The decisions of `gamedata pull`, made by its own functions, on builds that are compiled already. */
class SimulatedPull {
  readonly pulled: PulledBuild[] = [];
  readonly #slug: string;
  readonly #title: string;
  #served: Known | undefined;
  /** When the newest build that the game has was released. */
  #newest = '';
  /** What held.json says, and the builds. */
  readonly #held = new Map<string, HeldBuild>();
  readonly #waiting = new Map<string, CompiledBuild>();

  constructor(slug: string, title: string) {
    this.#slug = slug;
    this.#title = title;
  }

  /** A round of the service after upstream released a build. */
  take(build: CompiledBuild): void {
    const { build: name, released_at } = build.source;
    this.pulled.push({ game: this.#slug, build: name, outcome: 'served', days: 0, findings: [] });
    this.#waiting.set(name, build);
    this.#try(name, released_at);
    while (this.#acceptKept(released_at)) {
      // What is held back after them is tried again.
      for (const each of [...this.#waiting.keys()]) this.#try(each, released_at);
    }
  }

  #try(name: string, now: string): void {
    const build = this.#waiting.get(name);
    const pulled = this.pulled.find((each) => each.build === name);
    if (build === undefined || pulled === undefined) return;
    // What is older than the newest build is not tried again.
    if (build.source.released_at < this.#newest) return;
    const first = tryBuild(build, this.#served);
    const carried = carryStrange(build, this.#served, first.findings);
    const last = carried ? tryBuild(carried, this.#served) : first;
    const known = this.#held.get(name);
    if (known === undefined) pulled.findings = first.findings;
    if (this.#served === undefined || last.findings.length === 0) {
      const atOnce = carried ? 'carried' : 'served';
      this.#serve(carried ?? build, last.seen, known === undefined ? atOnce : 'later', now);
      return;
    }
    const questions = [...new Set(first.findings.map(questionOf))];
    const before = this.#served.content.build;
    // What an earlier build asks already is not asked again.
    const same = [...this.#held].find(
      ([other, held]) =>
        other !== name && held.before === before && questions.every((each) => held.questions?.includes(each)),
    );
    const isAsked = questions.every((each) => known?.questions?.includes(each));
    this.#held.set(name, {
      at: (isAsked && known?.at) || now,
      before,
      questions,
      changed: changesOf(first.findings),
    });
    [pulled.outcome, pulled.days] = [same === undefined ? 'asked' : 'waiting', undefined];
  }

  /** Accepts a change that upstream keeps. Returns whether there was one. */
  #acceptKept(now: string): boolean {
    const builds = [...this.#waiting].map(([build, { source }]) => ({
      build,
      released_at: source.released_at,
    }));
    const times = { newest: Date.parse(this.#newest), now: Date.parse(now) };
    const kept = findDueBuilds({ builds: [...this.#held] }, builds, ACCEPT_AFTER, times);
    return kept.some((each) => this.#tryKept(each, now));
  }

  #tryKept(kept: AcceptedBuild, now: string): boolean {
    const compiled = this.#waiting.get(kept.build);
    if (compiled === undefined) return false;
    const build = { ...compiled, source: { ...compiled.source, overrides: overridesOf(kept) } };
    const { seen, findings } = tryBuild(build, this.#served);
    if (findings.length > 0) return false;
    this.#serve(build, seen, 'accepted', now);
    return true;
  }

  #serve(build: CompiledBuild, seen: unknown, outcome: PulledBuild['outcome'], now: string): void {
    const { build: name, released_at } = build.source;
    this.#served = { seen, content: encodeBuild(this.#slug, this.#title, build) };
    this.#newest = released_at;
    this.#waiting.delete(name);
    this.#held.delete(name);
    const pulled = this.pulled.find((each) => each.build === name);
    if (pulled) pulled.outcome = outcome;
    if (pulled) pulled.days = Math.floor((Date.parse(now) - Date.parse(released_at)) / 86_400_000);
  }
}

/** The build with datasets of the build before, if these are all that holds it back. */
function carryStrange(
  build: CompiledBuild,
  known: Known | undefined,
  findings: readonly Finding[],
): CompiledBuild | undefined {
  const isCarried = findings.every((finding) => finding.carry);
  if (known === undefined || findings.length === 0 || !isCarried) return undefined;
  const carried = findCarried(findings, build.source.build);
  return carryDatasets({ ...build, source: { ...build.source, carried } }, known.content, {}).value;
}

/** What holds a build back if it comes after another one. */
function tryBuild(build: CompiledBuild, known: Known | undefined): { seen: unknown; findings: Finding[] } {
  const checker = new ChangeChecker();
  if (known) checker.resume(known.seen, known.content);
  const found = [...checkBuild(build, [], surveyBuild(build))];
  const all = [
    ...found,
    ...checker.check(
      build,
      found.every(({ severity }) => severity !== 'error'),
    ),
  ];
  return { seen: checker.seen, findings: all.filter(({ severity }) => severity === 'error') };
}
