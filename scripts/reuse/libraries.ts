/** The packages that affect how a build is compiled. */
export const LIBRARIES = [
  '@sqlite.org/sqlite-wasm',
  'ajv',
  'csv-parse',
  'entities',
  'fast-glob',
  'fastest-levenshtein',
  'hyparquet-writer',
  'jsonata',
  'jsonc-parser',
  'micromatch',
  're2js',
  'yaml',
];
