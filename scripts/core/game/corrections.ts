import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Outcome } from '../findings/findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import { Port } from '../lib/port.ts';

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
