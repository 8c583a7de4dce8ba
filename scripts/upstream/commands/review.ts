import path from 'node:path';
import { Command } from 'commander';
import type { BuildContent } from '../../format/build-content.ts';
import { countOf } from '../../lib/count-of.ts';
import { createProgress } from '../../lib/progress.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { orCommandError } from '../../lib/system-error.ts';
import { countFindings } from '../../report/report.ts';
import { openDataAtRef } from '../../git/data-at-ref.ts';
import { renderHtml } from '../review/render-html.ts';
import { renderMarkdown } from '../review/render-markdown.ts';
import { type GameReview, reviewGame } from '../review/review.ts';
import { startCompiler } from '../../workers/compiler.ts';
import type { StartWorkers } from '../../workers/workers.ts';
import { type Builds, compileBuilds, findInDist, findRenames } from './builds-of-game.ts';
import type { ReviewOne, ReviewOptions, Tools } from './review-options.ts';
import { readNewGame, reviewTouched } from './review-touched.ts';
import { addGameOptions, chooseGames, limitsOf, upstreamOf } from '../../commands/games.ts';

/** `gamedata review`, which compiles games by workers that `start` starts. */
export function reviewCommand(start?: StartWorkers): Command {
  return addGameOptions(new Command('review'))
    .description(
      'show what a person needs to approve the newest build of a game, or all builds that a change touches',
    )
    .option(
      '--against <what>',
      'compare with the newest build in dist/ ("dist"), or every build that differs with what it is at a branch, tag or commit of the git repository that holds the data (default: the build before)',
    )
    .option('--out <folder>', 'the folder with the compiled files, for --against dist', 'dist')
    .option('--html <file>', 'write one HTML file, instead of Markdown to the output')
    .addHelpText(
      'after',
      `
Shows the findings, what the records have, what changed, the distributions that moved, and some records as the API will serve them: the first,
the one that changed most, and the one that lacks most. Nothing has to be built before. A build that checks hold back is shown too.
Of a game that is new it shows ten records of each list beside the raw rows that they come from, the source, and who wrote the mapping.

Markdown is for a pull request: at most about 60,000 characters. The HTML file has all, and needs no other file.

Exit code: 0 done, also if there are findings; 1 a build to compare with cannot be read, 2 wrong usage.

Examples:
  gamedata review my-game                            the newest build beside the one before it
  gamedata review my-game --html review.html         the same with pictures, for a browser
  gamedata review --against origin/main              every build that a pull request touches, of all games
  gamedata review my-game --against dist             what the next gamedata build would publish`,
    )
    .action((slugs: string[], options: ReviewOptions) => review(slugs, options, start));
}

async function review(slugs: string[], options: ReviewOptions, start?: StartWorkers): Promise<void> {
  const { data, against, html } = options;
  const games = await chooseGames(slugs, data);
  const ref = against === undefined || against === 'dist' ? undefined : await openDataAtRef(data, against);
  const progress = createProgress(process.stderr);
  const reviews: GameReview[] = [];
  for (const slug of games) {
    const tools = { progress, start };
    if (ref === undefined) reviews.push(await reviewOne(slug, options, tools));
    else reviews.push(...(await reviewTouched(slug, options, { ...tools, ref }, slugs.length > 0)));
  }
  progress.clear();
  if (html === undefined) process.stdout.write(renderMarkdown(reviews));
  else {
    const writing = replaceFile(html, Buffer.from(renderHtml(reviews)));
    await orCommandError(writing, (reason) => `${html} cannot be written: ${reason}`);
    process.stdout.write(`${html}: ${countOf(games.length, 'game')}, ${summarise(reviews)}\n`);
  }
}

function summarise(reviews: readonly GameReview[]): string {
  const { errors, warnings } = countFindings(reviews.flatMap(({ findings }) => findings));
  return `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
}

/**
 * Reviews the newest build of a game: checks the game as `gamedata check` does, and compiles its newest builds to read them.
 *
 * @throws CommandError if the build to compare with cannot be read
 */
export async function reviewOne(slug: string, options: ReviewOne, tools: Tools): Promise<GameReview> {
  const { data, against } = options;
  const { progress, start } = tools;
  const limits = limitsOf(options);
  const upstream = upstreamOf(options);
  const compiler = startCompiler(1, limits, 1, start);
  const silent = { ...progress, done() {} };
  const { findings, coverage } = await compiler
    .compile(data, [slug], silent, { keep: { in: 'nothing' }, now: Date.now(), upstream })
    .finally(() => compiler.close());
  const newest = against === undefined ? 2 : 1;
  const only = { names: [], newest };
  const { builds } = await compileBuilds(data, slug, { only, progress, upstream, limits, start });
  const after = await readFromEnd(builds, 1);
  const { before, place } = await findBefore(slug, builds, options);
  const folder = path.posix.join(data, slug);
  const renamed = before && after ? await findRenames(folder, before.build, after.build) : {};
  const newGame = after && !before ? await readNewGame(slug, options, start) : undefined;
  return reviewGame({ game: slug, findings, coverage: coverage[0], after, before, place, renamed, newGame });
}

async function readFromEnd(builds: Builds | undefined, position: number): Promise<BuildContent | undefined> {
  const entry = builds?.manifest.builds.at(-position);
  return entry && (await builds?.read(entry));
}

async function findBefore(
  slug: string,
  builds: Builds | undefined,
  { against, out }: ReviewOne,
): Promise<{ before: BuildContent | undefined; place: string }> {
  if (against === undefined) return { before: await readFromEnd(builds, 2), place: 'the build before' };
  return { before: await readFromEnd(await findInDist(out, slug), 1), place: `${out}/` };
}
