import { readFile } from 'node:fs/promises';
import { compareNatural } from './dist-format.ts';
import type { Finding } from './findings.ts';
import { lineFinder } from './read/json.ts';

/**
 * Fills in the line of every finding that has none yet, and puts findings in order of file and line, each once: builds share files,
 * and so what is wrong with them. Files are read again for this: only where something is wrong are lines worth their price.
 */
export async function locateFindings(findings: readonly Finding[]): Promise<Finding[]> {
  const finders = new Map<string, (pointer: string) => number>();
  const located: Finding[] = [];
  for (const finding of new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()) {
    const { file, pointer, line } = finding.place;
    if (line === undefined && !finders.has(file)) {
      const text = await readFile(file, 'utf8').catch(() => '');
      finders.set(file, lineFinder(text));
    }
    located.push({ ...finding, place: { file, pointer, line: line ?? finders.get(file)?.(pointer) ?? 1 } });
  }
  return located.sort(
    (a, b) =>
      compareNatural(a.place.file, b.place.file) ||
      (a.place.line as number) - (b.place.line as number) ||
      compareNatural(a.place.pointer, b.place.pointer),
  );
}

/** Findings as text for people: place, what was found, what was expected, what to do. */
export function renderFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ severity, check, place, found, expected, fix }) =>
      [
        `${severity} ${place.file}:${place.line}${place.pointer ? ` ${place.pointer}` : ''} (${check})`,
        `  found     ${found}`,
        `  expected  ${expected}`,
        ...(fix ? [`  to do     ${fix}`] : []),
        '',
      ].join('\n'),
    )
    .join('\n');
}
