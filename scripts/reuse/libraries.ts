/** What compiles a build beside the compiler's own code. */
export const LIBRARIES = [
  'ajv',
  'csv-parse',
  'fast-glob',
  'fastest-levenshtein',
  'jsonata',
  'jsonc-parser',
  're2js',
  'yaml',
];
