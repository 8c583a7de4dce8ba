import path from 'node:path';
import type { Finding } from '../../findings/findings.ts';
import { type Amendment, isObject, type JsonObject } from '../../format/dist-format.ts';
import { readInstant } from '../../schemas/instant.ts';
import { parseJson } from '../formats/json.ts';
import { readInside } from '../named-file.ts';

/** The folder in a game's folder with what amendments changed. */
export const AMENDMENTS_FOLDER = 'amendments';

/** A correction of a released build as build.json has it. `changes` is the path of a file in the game's folder, `commit` the one upstream made it with. */
export interface RawAmendment extends Amendment {
  changes?: string;
  commit?: string;
}

/** A correction of a released build: when, why, and what it changed, if that is known. */
export interface ReadAmendment extends Amendment {
  changes?: JsonObject;
}

/**
 * Reads what the amendments of a build changed.
 *
 * @param folder the game's folder
 * @param file the build's build.json
 */
export async function readAmendments(
  folder: string,
  file: string,
  amended: readonly RawAmendment[],
  findings: Finding[],
): Promise<ReadAmendment[]> {
  const read: ReadAmendment[] = [];
  for (const [index, { at, reason, changes: name }] of amended.entries()) {
    const amendment = { at: readInstant(at) ?? at, reason };
    const pointer = `/amended/${index}/changes`;
    const changes =
      name === undefined ? undefined : await readChanges(folder, name, { file, pointer }, findings);
    read.push({ ...amendment, ...(changes && { changes }) });
  }
  return read;
}

async function readChanges(
  folder: string,
  name: string,
  place: Finding['place'],
  findings: Finding[],
): Promise<JsonObject | undefined> {
  const text = await readInside(folder, name);
  const parsed = 'value' in text ? parseJson(text.value, path.posix.join(folder, name)) : text;
  if ('value' in parsed && isObject(parsed.value) && isChanges(parsed.value)) return parsed.value;
  findings.push({
    check: 'build-definition',
    severity: 'error',
    place,
    found: `${name}, which ${'finding' in parsed ? 'cannot be read' : 'does not hold the changes of an amendment'}`,
    expected: 'the file that gamedata build --amend wrote',
    fix: 'restore it from version control; if it is lost, remove "changes", and the history does not show what was served before',
  });
  return undefined;
}

function isChanges({ characters, datasets }: JsonObject): boolean {
  return isObject(characters) && Array.isArray(characters.changed) && isObject(datasets);
}
