import path from 'node:path';
import type { Finding, Outcome } from '../findings/findings.ts';
import { UNWATCHED } from '../findings/steps.ts';
import { KNOWN_FILES } from './formats/formats.ts';
import type { BuildSource, GameSource } from './game/read-game.ts';
import { advanceOverlays, type Overlays } from './overlays.ts';
import { ParsedFiles } from './parsed-files.ts';
import { type BuildTables, readTables } from './read-tables.ts';

/** A build whose files are known but not read yet. */
export interface BuildFiles {
  source: BuildSource;
  /** The build's files by the pattern that finds them: its own, and those it inherits from earlier builds. */
  overlays: Overlays;
  /** Findings about misplaced files. */
  findings: Finding[];
  /** Reads the tables. Call it before the generator is asked for the next build. */
  read(): Promise<Outcome<BuildTables>>;
}

/**
 * Finds the files of a game's builds, oldest first. A build has its own files and those of the build before it, except the ones that it
 * replaces or removes.
 */
export async function* findBuildFiles(game: GameSource, steps = UNWATCHED): AsyncGenerator<BuildFiles> {
  const declared = game.builds.flatMap(({ definition }) => definition.tables.map(({ files }) => files));
  const patterns = [...new Set(declared), KNOWN_FILES];
  const overlays: Overlays = new Map(patterns.map((pattern) => [pattern, new Map()]));
  const references = game.builds.flatMap((build) => build.references);
  const hashes = new Map(references.map(({ cached, sha256 }) => [cached, sha256]));
  const parsed = new ParsedFiles(steps, hashes);

  for (const source of game.builds) {
    steps.beginStage('finding the files of the build', path.posix.join(source.folder, 'build.json'));
    const findings = advanceOverlays(overlays, source);
    parsed.dropReplaced(overlays);
    yield { source, overlays, findings, read: () => readTables(game.folder, source, overlays, parsed) };
  }
}
