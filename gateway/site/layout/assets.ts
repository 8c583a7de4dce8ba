import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the files that browsers load. Not `pathname`: a folder may have a space in its name. */
export const ASSETS_FOLDER = fileURLToPath(new URL('./public/', import.meta.url));
/** The folder of the files that take the place of others if the gateway has no site. */
export const WITHOUT_SITE_FOLDER = fileURLToPath(new URL('./without-site/', import.meta.url));
/** Where the files are served that carry their hash in their name, and so never change. */
export const ASSETS_PATH = '/assets/';

const paths = new Map<string, string>(
  Object.entries(JSON.parse(readFileSync(new URL('./assets.json', import.meta.url), 'utf8'))),
);

/**
 * Returns the address of an asset.
 *
 * @param name without its hash: `site.css`, or `try-it.js` for the island `try-it`
 * @throws Error if the build made no such asset
 */
export function assetPath(name: string): string {
  const path = paths.get(name);
  if (path === undefined) throw new Error(`there is no asset ${name}, only ${[...paths.keys()].join(', ')}`);
  return path;
}
