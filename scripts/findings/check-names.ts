/** The name of every check. A finding carries it, an override names it, and docs/maintainers/checks.md explains it. */
export const CHECK_NAMES = [
  // Files and definitions.
  'slug',
  'definition',
  'build-definition',
  'build-name',
  'build-order',
  'builds-lock',
  'corrections',
  'aliases',
  'removed-files',
  'file-text',
  'json-syntax',
  'yaml-syntax',
  'yaml-alias',
  'csv-syntax',
  'csv-columns',
  'key-value-syntax',
  'duplicate-key',
  'table-files',
  'table-key',
  'dataset-file',
  'schema-file',
  'attributes-file',

  // Mappings.
  'expression-file',
  'expression-syntax',
  'expression-result',
  'shape',
  'full-record',
  'mapping-tables',
  'mapping-changes',
  'game-size',
  'join-missed',
  'join-partial',
  'where-drops-all',
  'attribute-unserved',

  // One build.
  'roster-size',
  'character-schema',
  'ids',
  'attribute-names',
  'attribute-kinds',
  'dataset-keys',
  'required-datasets',
  'reserved-ids',
  'dataset-schema',

  // What a build says.
  'numbers-implausible',
  'text-damaged',
  'text-unresolved',
  'language-script',

  // The attribute dictionary.
  'attribute-undescribed',
  'attribute-unexpected',

  // Changes from one build to the next.
  'build-backwards',
  'ids-renumbered',
  'field-kinds',
  'dataset-gone',
  'records-lost',
  'new-records-incomplete',
  'values-lost',
  'values-changed',
  'values-jumped',
  'values-moved',
  'categories-changed',
  'names-changed',
  'overrides',
  'renamed',

  // Released builds and limits.
  'recorded-build',
  'time-limit',
  'memory-limit',
  'system-limit',
  'upstream-file',
  'internal-error',
] as const;

/** The stable name of a check. */
export type CheckName = (typeof CHECK_NAMES)[number];
