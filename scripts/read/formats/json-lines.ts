import type { Finding } from '../../findings/findings.ts';
import { splitLines } from '../../findings/text.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../lib/json-pointer.ts';
import type { ParseOutcome } from './format.ts';
import { parseJson } from './json.ts';

/**
 * Parses JSON Lines (https://jsonlines.org) into a list: one value per line. Blank lines are skipped. A line that cannot be parsed is a
 * finding; the other lines are still read.
 */
export function parseJsonLines(text: string, file: string): ParseOutcome<Json[]> {
  const findings: Finding[] = [];
  const rows: Json[] = [];
  const lines = rowLines(text);
  for (const [index, { line, content }] of lines.entries()) {
    const outcome = parseJson(content, file);
    const problems = 'finding' in outcome ? [outcome.finding] : outcome.findings;
    for (const finding of problems) {
      const { pointer } = finding.place;
      findings.push({ ...finding, place: { file, pointer: pointerTo('', index) + pointer, line } });
    }
    rows.push('value' in outcome ? outcome.value : null);
  }
  if (lines.length > 0) return { value: rows, findings };
  const place = { file, pointer: '', line: 1 };
  return {
    finding: {
      check: 'json-syntax',
      severity: 'error',
      place,
      found: 'an empty file',
      expected: 'one JSON value per line',
    },
  };
}

/** `Parser.findLines` of JSON Lines. */
export function findJsonLinesLines(text: string): (pointer: string) => number {
  const lines = rowLines(text);
  return (pointer) => lines[Number(pointerSteps(pointer)[0])]?.line ?? 1;
}

function rowLines(text: string): { line: number; content: string }[] {
  return splitLines(text)
    .map((content, index) => ({ line: index + 1, content }))
    .filter(({ content }) => content.trim() !== '');
}
