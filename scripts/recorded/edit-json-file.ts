import { readFile } from 'node:fs/promises';
import { applyEdits, modify } from 'jsonc-parser';
import { replaceFile } from '../lib/replace-file.ts';

/**
 * Sets a property of a JSON file, and keeps its comments and layout.
 *
 * @param value undefined removes the property
 */
export async function editJsonFile(file: string, property: string, value: unknown): Promise<void> {
  const text = await readFile(file, 'utf8');
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(text, [property], value, { formattingOptions });
  await replaceFile(file, Buffer.from(applyEdits(text, edits)));
}
