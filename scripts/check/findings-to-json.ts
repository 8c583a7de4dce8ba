import type { Finding } from '../findings/findings.ts';
import { countFindings } from '../report/report.ts';

/** Renders findings as JSON: flat, in the same order as the text; `more` are members that follow them. */
export function findingsToJson(findings: readonly Finding[], more: object): string {
  const flat = findings.map(
    ({ severity, check, place: { file, line, pointer }, found, expected, fix, build, renamed, more }) => ({
      severity,
      check,
      file,
      line,
      pointer,
      found,
      expected,
      ...(fix !== undefined && { fix }),
      ...(build !== undefined && { build }),
      ...(renamed !== undefined && { renamed }),
      ...(more !== undefined && { more }),
    }),
  );
  return `${JSON.stringify({ ...countFindings(findings), findings: flat, ...more }, null, 2)}\n`;
}
