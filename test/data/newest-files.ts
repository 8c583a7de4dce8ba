import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { readBuilds, readGameFile } from '../../scripts/read/game.ts';
import { findPresentFiles, readPathsOf } from '../../scripts/upstream/add/files.ts';
import { createTrimmer } from '../../scripts/upstream/add/trim.ts';
import { sourceOf } from '../../scripts/upstream/source.ts';
import { DATA } from '../support/paths.ts';

/** The raw files of the newest build of a shipped game, and what its rules leave out of a build. */
export interface NewestFiles {
  /** Where each file is, by its path in the folder of a build. */
  files: ReadonlyMap<string, string>;
  trimmer: ReturnType<typeof createTrimmer>;
}

/** @param upstream where files of upstream are, by their paths in the folder of a build: the rules are applied to these */
export async function newestFiles(
  slug: string,
  upstream: ReadonlyMap<string, string> = new Map(),
): Promise<NewestFiles> {
  const game = path.join(DATA, slug);
  const raw = await readGameFile(game, []);
  assert.ok(raw);
  const { value } = findPresentFiles(await readBuilds(game, raw, []), readPathsOf(raw));
  const files = new Map([...value].map(([file, present]) => [file, present.path]));
  const trimmer = createTrimmer(sourceOf(raw)?.trim ?? {}, {
    paths: [...new Set([...files.keys(), ...upstream.keys()])],
    read: (file) => readFile(upstream.get(file) ?? files.get(file) ?? '', 'utf8'),
  });
  return { files, trimmer };
}
