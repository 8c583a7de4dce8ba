import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Json } from '../../format/dist-format.ts';
import { errorOf } from '../../system.ts';
import type { Apart } from '../add/run-apart.ts';
import { writeRows } from '../add/trim-formats.ts';
import { type RawPart, splitValue } from './split-file.ts';

/** A large file that is divided in a process of its own, which may need much memory and time. */
export interface SplitTask {
  /** Where it is, and its path upstream. */
  from: string;
  file: string;
  /** What messages call its package: `a-package 1.2.0`. */
  name: string;
  parts: Record<string, RawPart>;
  /** Gets the new files. */
  folder: string;
}

/** The paths of the new files. */
export interface SplitFiles {
  files: string[];
}

/** Writes the parts of a file. */
export default async function split({
  from,
  file,
  name,
  parts,
  folder,
}: SplitTask): Promise<Apart<SplitFiles>> {
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
    return { problem: `${name}: ${error instanceof SyntaxError ? `${file} is no JSON: ${reason}` : reason}` };
  }
}
