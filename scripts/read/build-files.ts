import path from 'node:path';
import type { Finding, Outcome } from '../findings/findings.ts';
import { UNWATCHED } from '../findings/steps.ts';
import { KNOWN_FILES } from './formats.ts';
import { advanceOverlays, type Overlays } from './overlays.ts';
import { ParsedFiles } from './parsed-files.ts';
import type { BuildSource, GameSource } from './read-game.ts';
import { type BuildTables, readTables } from './read-tables.ts';

/** A build whose files are known, and not read yet. */
export interface BuildFiles {
  source: BuildSource;
  /** By the pattern with which they are looked for, the files that the build has: its own, and those of the builds before. */
  overlays: Overlays;
  /** About files that should not be where they are. */
  findings: Finding[];
  /** Reads the tables; to be called before the next build is asked for. */
  read(): Promise<Outcome<BuildTables>>;
}

/**
 * Looks up the files of a game's builds, oldest first. A build has the files of the build before it, less those it replaces and those it
 * removes.
 */
export async function* findBuildFiles(game: GameSource, steps = UNWATCHED): AsyncGenerator<BuildFiles> {
  const declared = game.builds.flatMap(({ definition }) => definition.tables.map(({ files }) => files));
  const patterns = [...new Set(declared), KNOWN_FILES];
  const overlays: Overlays = new Map(patterns.map((pattern) => [pattern, new Map()]));
  const parsed = new ParsedFiles(steps);

  for (const source of game.builds) {
    steps.beginStage('looking for the files of the build', path.posix.join(source.folder, 'build.json'));
    const findings = advanceOverlays(overlays, source);
    parsed.dropReplaced(overlays);
    yield { source, overlays, findings, read: () => readTables(game.folder, source, overlays, parsed) };
  }
}
