/** A name that a page documents. */
export interface Documented {
  page: string;
  name: string;
}

/** Reports what exists but is not documented, and what is documented but does not exist. */
export function compareNames(
  kind: string,
  existing: ReadonlySet<string>,
  documented: readonly Documented[],
): string[] {
  const names = new Set(documented.map(({ name }) => name));
  return [
    ...[...existing]
      .filter((name) => !names.has(name))
      .map((name) => `no page documents the ${kind} ${name}`),
    ...documented
      .filter(({ name }) => !existing.has(name))
      .map(({ page, name }) => `${page}: there is no ${kind} ${name}`),
  ];
}
