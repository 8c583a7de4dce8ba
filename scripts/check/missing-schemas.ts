import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import { isObject } from '../format/dist-format.ts';
import { parseJson } from '../read/formats/json.ts';

/** Finds definitions without `$schema`, with which editors check them, each where the data folder has the schema that it would name. */
export async function findMissingSchemas(data: string, slugs: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const slug of slugs) {
    const folder = path.posix.join(data, slug);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const builds = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
    const expected = [
      { file: path.posix.join(folder, 'game.json'), schema: '../game.schema.json' },
      ...builds.map(({ name }) => ({
        file: path.posix.join(folder, name, 'build.json'),
        schema: '../../build.schema.json',
      })),
    ];
    for (const { file, schema } of expected)
      if (existsSync(path.join(data, path.basename(schema))))
        findings.push(...(await findMissing(file, schema)));
  }
  return findings;
}

async function findMissing(file: string, schema: string): Promise<Finding[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : parseJson(text, file);
  // A file that is missing or no JSON is a finding of the compiler.
  if (parsed === undefined || !('value' in parsed)) return [];
  const $schema = isObject(parsed.value) ? parsed.value.$schema : undefined;
  if ($schema === schema) return [];
  return [
    {
      check: 'definition',
      severity: 'warning',
      place: { file, pointer: '', line: 1 },
      found: $schema === undefined ? 'no "$schema"' : `"$schema": ${JSON.stringify($schema)}`,
      expected: `"$schema": "${schema}", with which editors check the file`,
    },
  ];
}
