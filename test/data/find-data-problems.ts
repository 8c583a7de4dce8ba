import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readBuildsLock } from '../../scripts/check/recorded.ts';
import { isObject, type Json } from '../../scripts/format/dist-format.ts';
import { readGame } from '../../scripts/read/game.ts';
import { parseJson } from '../../scripts/read/json.ts';

/**
 * Finds what a folder such as `data/` lacks that the commands for maintainers write: the schemas that editors use, and the record of each
 * build. What the commands check themselves is not checked again.
 */
export async function findDataProblems(data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true });
  const slugs = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const problems = await Promise.all(
    slugs.map((slug) => findGameProblems(path.posix.join(data, slug), slug)),
  );
  return problems.flat();
}

async function findGameProblems(folder: string, slug: string): Promise<string[]> {
  const { value: game, findings } = await readGame(folder, slug);
  if (game === undefined) return findings.map(({ found, place }) => `${place.file}: ${found}`);
  const schemas = await Promise.all([
    findSchemaProblem(path.posix.join(folder, 'game.json'), '../game.schema.json'),
    ...game.builds.map((build) =>
      findSchemaProblem(path.posix.join(build.folder, 'build.json'), '../../build.schema.json'),
    ),
  ]);
  const lock = await readBuildsLock(folder);
  const recorded = 'value' in lock ? Object.keys(lock.value ?? {}) : [];
  const missing = game.builds.filter(({ build }) => !recorded.includes(build));
  return [
    ...schemas.flat(),
    ...missing.map(
      ({ build }) =>
        `${folder}/builds.lock.json does not record build ${build}: run gamedata build ${slug}, and commit the file`,
    ),
  ];
}

async function findSchemaProblem(file: string, schema: string): Promise<string[]> {
  const parsed = parseJson(await readFile(file, 'utf8'), file);
  const value: Json = 'value' in parsed ? parsed.value : null;
  return isObject(value) && value.$schema === schema
    ? []
    : [`${file} has no "$schema": "${schema}", with which editors check it`];
}
