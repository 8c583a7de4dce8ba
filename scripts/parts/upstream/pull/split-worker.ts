import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Json } from '../../../core/format/dist-format.ts';
import { errorOf } from '../../../core/lib/system-error.ts';
import { writeRows } from '../add/trim-formats.ts';
import { type RawPart, splitValue } from './split-file.ts';

/** A large file that is divided in a process of its own, which may need much memory and time. */
export interface SplitTask {
  /** Where it is, and its path upstream. */
  from: string;
  file: string;
  parts: Record<string, RawPart>;
  /** Gets the new files. */
  folder: string;
}

/** The paths of the new files, or what is wrong with the large one. */
export type SplitResult = { files: string[] } | { problem: string };

/** Writes the parts of a file. */
export default async function split({ from, file, parts, folder }: SplitTask): Promise<SplitResult> {
  try {
    const pieces = splitValue(JSON.parse(await readFile(from, 'utf8')) as Json, file, parts);
    for (const [target, value] of pieces) {
      const full = path.join(folder, target);
      await mkdir(path.dirname(full), { recursive: true });
      await writeFile(full, writeRows(value));
    }
    return { files: [...pieces.keys()] };
  } catch (error) {
    const reason = errorOf(error).message;
    return { problem: error instanceof SyntaxError ? `${file} is no JSON: ${reason}` : reason };
  }
}
