import type { CompiledBuild } from '../compile/compile-build.ts';
import type { GamePlan } from '../dist/plan.ts';
import type { Finding, Outcome } from '../findings/findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import { Port } from '../lib/port.ts';
import type { Published } from '../recorded/published-builds.ts';

/** What upstream had in the builds so far, by correction. It is JSON: the memo of builds keeps it. */
export type CorrectedSoFar = Readonly<Record<string, unknown>>;

/** A build with its corrections, and what is known of upstream after it. */
export interface CorrectedBuild {
  build: CompiledBuild;
  soFar: CorrectedSoFar;
}

/** Replaces what upstream has wrong by the values of corrections.json, and datasets that are carried by those of the build before. Corrected records are copies. */
export const APPLY_CORRECTIONS = new Port<
  (build: CompiledBuild, soFar: CorrectedSoFar, before?: BuildContent) => Outcome<CorrectedBuild>
>();

/** The folders of a build, and what dist/ publishes. */
export interface AmendedPlaces {
  /** The folder with the game folders. */
  data: string;
  /** dist/, which has what was served before. */
  out: string;
  published: Published;
}

/** Records in data/ that builds which differ from their records are corrected, for a reason. */
export const AMEND = new Port<
  /**
   * Adds the correction and its reason to the build.json of every build that differs from its record, with what it changed; and to corrections.json
   * every build that was removed. Nothing is done while there are other errors: the correction may not be complete.
   *
   * @param now ms since 1970
   * @returns what could not be recorded, as lines of text; undefined if nothing was amended
   */
  (
    places: AmendedPlaces,
    plans: readonly GamePlan[],
    findings: readonly Finding[],
    reason: string,
    now: number,
  ) => Promise<string[] | undefined>
>();
