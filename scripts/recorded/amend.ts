import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import type { Amendment } from '../format/dist-format.ts';
import { editBuildFile } from './edit-build-file.ts';

/**
 * Records a correction in a build's build.json.
 *
 * @param folder the build's folder
 */
export async function amendBuild(folder: string, amendment: Amendment): Promise<void> {
  const file = path.join(folder, 'build.json');
  const { amended = [] } = parse(await readFile(file, 'utf8')) as { amended?: Amendment[] };
  await editBuildFile(file, 'amended', [...amended, amendment]);
}
