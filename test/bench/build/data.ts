import { existsSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { createRandom } from '../../support/create-random.ts';
import { writeFiles } from '../../support/fixtures.ts';
import { DATA } from '../../support/paths.ts';
import { UPSTREAM } from '../../support/skip.ts';
import { expectations } from '../../upstream/expectations/expectations.ts';
import { layOut } from '../../upstream/lay-out.ts';

/** The data with which rows of the compiler are measured. */
export const DUMPS = existsSync(UPSTREAM) ? 'all dumps' : 'generated builds, without the dumps';

const QUICK = 'zenless-zone-zero';

/** Lays out the data of games: all dumps, or generated builds if there are no dumps. With `quick`, the shipped builds of one game. */
export async function layOutGames(data: string, quick: boolean): Promise<void> {
  if (quick) await cp(path.join(DATA, QUICK), path.join(data, QUICK), { recursive: true });
  else if (existsSync(UPSTREAM)) {
    for (const [slug, game] of Object.entries(expectations)) await layOut(slug, game, path.join(data, slug));
  } else {
    for (const slug of Object.keys(expectations)) {
      const game = await startGame(path.join(data, slug), 300);
      for (let build = 0; build < 8; build++) await game.addBuild();
    }
  }
}

/** A game that grows by one build at a time. */
export interface GrowingGame {
  addBuild(): Promise<void>;
}

/** The model of generated games: its rows have the usual size, and its mapping joins texts to them. */
const MODEL = 'zenless-zone-zero';
const MODEL_BUILD = '2.6';
const TABLES = 'store/zzz';

/** How many of a hundred characters a build changes. */
const CHANGED = 4;
const DAY = 24 * 60 * 60 * 1000;

/**
 * Starts a game without builds, with the mapping and the rows of a shipped one. Like a dump, every build replaces the table of characters,
 * and changes a few of them. All builds have the same size, and the same game is made each time.
 *
 * @param characters how many it has
 */
export async function startGame(folder: string, characters: number): Promise<GrowingGame> {
  const model = path.join(DATA, MODEL);
  const first = path.join(model, MODEL_BUILD);
  await mkdir(folder, { recursive: true });
  for (const part of ['game.json', 'attributes.json', 'mapping'])
    await cp(path.join(model, part), path.join(folder, part), { recursive: true });
  const models = Object.values(
    JSON.parse(await readFile(path.join(first, TABLES, 'avatars.json'), 'utf8')) as Record<
      string,
      JsonObject
    >,
  );
  const rows: Record<string, JsonObject> = {};
  const random = createRandom(1);
  for (let character = 0; character < characters; character++) {
    rows[10_000 + character] = structuredClone(models[character % models.length] as JsonObject);
  }

  let builds = 0;
  return {
    async addBuild() {
      const build = `b${builds}`;
      const released = new Date(Date.UTC(2020, 0, 1) + builds * DAY).toISOString();
      if (builds === 0) {
        const files = path.join(folder, build);
        await cp(first, files, { recursive: true, filter: (file) => !file.endsWith('build.json') });
      } else {
        for (const row of Object.values(rows)) {
          if (random() * 100 < CHANGED) (row.BaseProps as JsonObject)['11101'] = Math.floor(random() * 1000);
        }
      }
      await writeFiles(path.join(folder, build), {
        [`${TABLES}/avatars.json`]: rows,
        'build.json': { released_at: released },
      });
      builds++;
    },
  };
}
