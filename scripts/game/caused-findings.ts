import type { Finding } from '../findings/findings.ts';
import type { BuildTables } from '../read/read-tables.ts';

/** A finding, and whether it follows from another. */
export interface Caused {
  finding: Finding;
  follows: boolean;
}

/** Makes the function that returns whether a row or a table that could not be read is the reason of a finding. */
export function findFaults(
  readFindings: readonly Finding[],
  { source, tables }: BuildTables,
): (finding: Finding) => boolean {
  const errors = readFindings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return () => false;
  const rows = new Set(errors.map(({ place }) => JSON.stringify([place.file, place.pointer])));
  const unread = source.definition.tables.flatMap(({ name, optional }) =>
    optional || tables.has(name) ? [] : [name],
  );
  return ({ place, tables: read = [] }) =>
    rows.has(JSON.stringify([place.file, place.pointer])) || unread.some((name) => read.includes(name));
}
