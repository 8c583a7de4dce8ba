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

  // Mappings.
  'expression-file',
  'expression-syntax',
  'expression-result',
  'shape',
  'full-record',
  'mapping-tables',
  'mapping-changes',
  'mapping-attributes',

  // One build.
  'roster-size',
  'character-schema',
  'ids',
  'attribute-names',
  'attribute-kinds',
  'dataset-keys',
  'required-datasets',
  'dataset-schema',

  // What a build says.
  'text-damaged',
  'text-entities',
  'text-unresolved',
  'names-repeated',
  'language-script',
  'language-copied',

  // Changes from one build to the next.
  'roster-loss',
  'ids-renumbered',
  'names-lost',
  'rarity-range',
  'field-emptied',
  'field-vanished',
  'field-kinds',
  'dataset-gone',
  'dataset-loss',
  'dataset-kinds',
  'records-lost',
  'new-records-incomplete',
  'values-lost',
  'values-scaled',
  'values-rounded',
  'values-moved',
  'values-merged',
  'values-rewritten',
  'names-changed',
  'number-range',
  'new-values',
  'overrides',

  // Released builds and limits.
  'recorded-build',
  'time-limit',
  'memory-limit',
  'system-limit',
  'internal-error',
] as const;

/** The stable name of a check. */
export type CheckName = (typeof CHECK_NAMES)[number];
