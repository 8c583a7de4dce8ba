import { compareNatural } from './dist-format.ts';
import { addFindings, type Finding } from './findings.ts';
import { findLines } from './read/read-file.ts';

/**
 * Fills in the line of every finding that has none yet, and puts findings in order of file and line, each once: builds share files,
 * and so what is wrong with them. Files are read again for this, one at a time: only where something is wrong are lines worth their
 * price.
 */
export async function locateFindings(findings: readonly Finding[]): Promise<Finding[]> {
  const byFile = new Map<string, Finding[]>();
  for (const finding of new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()) {
    const { file } = finding.place;
    const ofFile = byFile.get(file) ?? [];
    byFile.set(file, ofFile);
    ofFile.push(finding);
  }
  const located: Finding[] = [];
  for (const file of [...byFile.keys()].sort(compareNatural)) {
    addFindings(located, await locateInFile(file, byFile.get(file) as Finding[]));
  }
  return located;
}

async function locateInFile(file: string, findings: Finding[]): Promise<Finding[]> {
  // One file may be read in several ways, by the options of several tables.
  const finders = new Map<string, (pointer: string) => number>();
  const located = [];
  for (const finding of findings) {
    const { pointer, line, reading } = finding.place;
    const way = JSON.stringify(reading ?? null);
    if (line === undefined && !finders.has(way)) finders.set(way, await findLines(file, reading));
    located.push({ ...finding, place: { file, pointer, line: line ?? finders.get(way)?.(pointer) ?? 1 } });
  }
  return located.sort(
    (a, b) => a.place.line - b.place.line || compareNatural(a.place.pointer, b.place.pointer),
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
