import { addFindings, type Finding } from '../findings.ts';
import { compareNatural } from '../format/dist-format.ts';
import { findLines } from '../read/files.ts';
import { groupBy } from '../text.ts';

/**
 * Adds missing lines to findings, sorts them by file and line, and removes duplicates, because builds share files and their errors. It reads the
 * files again, one at a time: recording the lines of all files while reading would cost too much.
 */
export async function locateFindings(findings: readonly Finding[]): Promise<Finding[]> {
  const different = new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values();
  const byFile = groupBy([...different], ({ place }) => place.file);
  byFile.sort(([a], [b]) => compareNatural(a.place.file, b.place.file));
  const located: Finding[] = [];
  for (const ofFile of byFile) addFindings(located, await locateInFile(ofFile[0].place.file, ofFile));
  return located;
}

async function locateInFile(file: string, findings: Finding[]): Promise<Finding[]> {
  // Several tables may read a file with different options.
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

/**
 * Renders findings as text: place, found, expected, advice. Names and values are not trusted: control characters, which a terminal would obey, are
 * escaped.
 */
export function renderFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ severity, check, place, found, expected, fix, more, cause }) =>
      [
        `${severity} ${place.file}:${place.line}${place.pointer ? ` ${place.pointer}` : ''} (${check})`,
        `  found     ${found}`,
        `  expected  ${expected}`,
        ...(fix ? [`  to do     ${fix}`] : []),
        ...(more
          ? [`  and       ${more} more ${cause === undefined ? 'of this check in the file' : 'like this'}`]
          : []),
        '',
      ]
        .map(escapeControls)
        .join('\n'),
    )
    .join('\n');
}

/** Includes characters that change the text direction, invisible characters, and lone surrogates. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes characters that a terminal would obey. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** Counts errors and warnings, including those that are not listed. */
export function countFindings(findings: readonly Finding[]): { errors: number; warnings: number } {
  const count = (wanted: Finding['severity']) =>
    findings.reduce((sum, { severity, more = 0 }) => sum + (severity === wanted ? 1 + more : 0), 0);
  return { errors: count('error'), warnings: count('warning') };
}

/** Renders findings as JSON, flat, in the order of the text. @param more members that follow them */
export function findingsToJson(findings: readonly Finding[], more: object): string {
  const flat = findings.map(({ severity, check, place, found, expected, fix, build, renamed, more }) => {
    const { file, line, pointer } = place;
    return { severity, check, file, line, pointer, found, expected, fix, build, renamed, more };
  });
  return `${JSON.stringify({ ...countFindings(findings), findings: flat, ...more }, null, 2)}\n`;
}
