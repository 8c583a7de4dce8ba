import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Finding, type Outcome, pointerTo } from '../findings.ts';
import type { RawChange, RawExpression, RawGameDefinition, RawMapping } from './definition.ts';
import type { ExpressionTexts } from './definition-of-builds.ts';
import { readText } from './read-file.ts';

/** A mapping longer than this is no mapping that anybody can read. */
const MOST_BYTES = 1 << 20;

/** An expression file that game.json names, and where. */
interface NamedFile {
  file: string;
  pointer: string;
}

/** The expression files that a `game.json` names, each with the first place that does. */
export function listExpressionFiles(raw: RawGameDefinition): NamedFile[] {
  const layers: [RawMapping | RawChange, string][] = [
    [raw, ''],
    ...(raw.changes ?? []).map((change, index): [RawChange, string] => [
      change,
      pointerTo('/changes', index),
    ]),
  ];
  const named = layers.flatMap(([{ roster, datasets }, at]) => [
    ...filesIn(roster, `${at}/roster`),
    ...Object.entries(datasets ?? {}).flatMap(([key, dataset]) =>
      filesIn(dataset, pointerTo(`${at}/datasets`, key)),
    ),
  ]);
  return [...new Map(named.reverse().map((found) => [found.file, found])).values()].reverse();
}

/** The files named by a mapping, which is an expression itself or holds some as its parts. */
function filesIn(mapping: object | string | null | undefined, pointer: string): NamedFile[] {
  if (mapping === null || mapping === undefined) return [];
  return [
    { expression: mapping, pointer },
    ...Object.entries(mapping).map(([part, expression]) => ({
      expression,
      pointer: pointerTo(pointer, part),
    })),
  ].flatMap(({ expression, pointer }) => (isFile(expression) ? [{ file: expression.file, pointer }] : []));
}

function isFile(expression: RawExpression | unknown): expression is { file: string } {
  return typeof expression === 'object' && expression !== null && 'file' in expression;
}

/**
 * Reads expression files. What a path names must be a file inside the game's folder, also when it is a symbolic link.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json that a finding names
 */
export async function readExpressionFiles(
  folder: string,
  gameFile: string,
  files: readonly NamedFile[],
): Promise<Outcome<ExpressionTexts>> {
  const findings: Finding[] = [];
  const texts = new Map<string, string | undefined>();
  const root = await realpath(folder).catch(() => folder);
  for (const { file, pointer } of files) {
    const fullPath = path.posix.join(folder, file);
    const problem = await findProblem(fullPath, root);
    if (problem) {
      const place = { file: gameFile, pointer };
      findings.push({ check: 'expression-file', severity: 'error', place, ...problem });
    }
    const text = problem ? undefined : await readText(fullPath);
    if (text && 'finding' in text) findings.push(text.finding);
    texts.set(file, text && 'value' in text ? text.value : undefined);
  }
  return { value: texts, findings };
}

async function findProblem(
  file: string,
  root: string,
): Promise<{ found: string; expected: string } | undefined> {
  const real = await realpath(file).catch(() => undefined);
  const facts = real === undefined ? undefined : await stat(real).catch(() => undefined);
  const expected = "a file of at most 1 MiB inside the game's folder";
  if (real === undefined || facts === undefined) return { found: `no file ${file}`, expected };
  if (!real.startsWith(root + path.sep)) return { found: `${file}, which leads out of the folder`, expected };
  if (!facts.isFile()) return { found: `${file}, which is no file`, expected };
  return facts.size > MOST_BYTES ? { found: `${file} of ${facts.size} bytes`, expected } : undefined;
}
