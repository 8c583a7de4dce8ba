/** The name of a dataset's files in dist/. */
export function nameOfDataset(key: string): string {
  return `dataset.${key}`;
}

/**
 * The path in dist/ of a file of a game.
 *
 * @param name the first part of its name: `characters`, or what `nameOfDataset` returns
 * @param sha256 of its bytes, hexadecimal
 */
export function fileOf(slug: string, name: string, sha256: string): string {
  return `${slug}/${name}.${sha256.slice(0, 32)}.json`;
}
