import type { Finding, Outcome } from '../../findings/findings.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { readNamedFile } from '../named-file.ts';
import type { RawChange, RawExpression, RawGameDefinition, RawMapping } from './definition.ts';
import type { ExpressionTexts } from './definition-of-builds.ts';

/** An expression file, and where game.json names it. */
interface NamedFile {
  file: string;
  pointer: string;
}

/** Lists the expression files that a `game.json` names, each with the first place that names it. */
export function listExpressionFiles(raw: RawGameDefinition): NamedFile[] {
  const layers: [RawMapping | RawChange, string][] = [
    [raw, ''],
    ...(raw.changes ?? []).map((change, index): [RawChange, string] => [
      change,
      pointerTo('/changes', index),
    ]),
  ];
  const helpers = raw.helpers === undefined ? [] : [{ file: raw.helpers, pointer: '/helpers' }];
  const named = layers.flatMap(([{ roster, datasets }, at]) => [
    ...filesIn(roster, `${at}/roster`),
    ...Object.entries(datasets ?? {}).flatMap(([key, dataset]) =>
      filesIn(dataset, pointerTo(`${at}/datasets`, key)),
    ),
  ]);
  return [
    ...new Map([...helpers, ...named].reverse().map((entry) => [entry.file, entry])).values(),
  ].reverse();
}

/** Lists the files that a mapping names: it is either an expression itself, or has expressions as its parts. */
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
 * Reads expression files.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json for findings
 */
export async function readExpressionFiles(
  folder: string,
  gameFile: string,
  files: readonly NamedFile[],
): Promise<Outcome<ExpressionTexts>> {
  const findings: Finding[] = [];
  const texts = new Map<string, string | undefined>();
  for (const { file, pointer } of files) {
    const text = await readNamedFile(folder, file, { file: gameFile, pointer }, 'expression-file');
    if ('finding' in text) findings.push(text.finding);
    texts.set(file, 'value' in text ? text.value : undefined);
  }
  return { value: texts, findings };
}
