import path from 'node:path';
import type { Finding, Place } from '../../findings/findings.ts';
import type { Renames } from '../../format/dist-format.ts';
import { checkSchema, compileSchema } from '../../schemas/schema.ts';
import { parseJson } from '../formats/json.ts';
import { readNamedFile } from '../named-file.ts';
import { renamedSchema } from './build-schema.ts';

/** The folder in a game's folder with the renumbered records of builds that have many. */
export const RENAMED_FOLDER = 'renamed';

/** The renumbered records of a build, and where they are. */
export interface ReadRenamed {
  renamed: Renames;
  renamedAt: Place;
}

const validRenamed = compileSchema<Renames>(renamedSchema);

/**
 * Reads the renumbered records of a build.
 *
 * @param folder the game's folder
 * @param file the build's build.json
 * @param raw what it has as `renamed`: the records themselves, or the path of a file in the game's folder
 */
export async function readRenamed(
  folder: string,
  file: string,
  raw: Renames | string,
  findings: Finding[],
): Promise<ReadRenamed> {
  const place = { file, pointer: '/renamed' };
  if (typeof raw !== 'string') return { renamed: raw, renamedAt: place };
  const renamedAt = { file: path.posix.join(folder, raw), pointer: '' };
  const text = await readNamedFile(folder, raw, place, 'renamed');
  const parsed = 'value' in text ? parseJson(text.value, renamedAt.file) : text;
  if ('finding' in parsed) {
    findings.push(parsed.finding);
    return { renamed: {}, renamedAt };
  }
  const faults = [...parsed.findings, ...checkSchema(validRenamed, parsed.value, 'renamed', renamedAt)];
  findings.push(...faults);
  return { renamed: faults.length === 0 && validRenamed(parsed.value) ? parsed.value : {}, renamedAt };
}
