import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { localizeSamples } from './guides.ts';
import { ASSETS_FOLDER, WITHOUT_SITE_FOLDER } from './layout/assets.ts';
import type { SiteData } from './site-page.ts';

const FILE = '/llms-full.txt';

/** All guides for people who use the API, as a text for language models, whose samples have the address of this gateway. */
export function llmsData(hasSite: boolean): SiteData {
  const folder = hasSite ? ASSETS_FOLDER : WITHOUT_SITE_FOLDER;
  return {
    path: FILE,
    type: 'text/plain; charset=utf-8',
    makeData: async ({ services }) =>
      localizeSamples(await readFile(path.join(folder, FILE), 'utf8'), services.publicUrl()),
  };
}
