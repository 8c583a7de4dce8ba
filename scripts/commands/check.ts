import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { findEditedLocks, findMissingGames, readPublished, readPublishedAtRef } from '../check/against.ts';
import { renderCoverage } from '../check/coverage.ts';
import { openDataAtRef } from '../check/git.ts';
import type { Published } from '../check/recorded.ts';
import { countFindings, findingsToJson, renderFindings } from '../check/report.ts';
import { type StartWorkers, startCompiler } from '../compile/workers.ts';
import { CommandError, createProgress } from '../system.ts';
import { countOf } from '../text.ts';
import * as common from './options.ts';

interface CheckOptions extends common.GameOptions, common.CoverageOptions {
  format: 'text' | 'json';
  against?: string;
}

/** `gamedata check`. @param start starts the workers that compile */
export function checkCommand(start?: StartWorkers): Command {
  return common
    .addCoverageOption(common.addGameOptions(new Command('check')))
    .description('do everything that build does, except writing')
    .addOption(
      new Option('--format <format>', 'how findings are printed').choices(['text', 'json']).default('text'),
    )
    .option(
      '--against <what>',
      'compare released builds with a published dist/ (a folder or an address), or with a branch, tag or commit of the git repository that holds the data',
    )
    .addHelpText(
      'after',
      `
With --against, a change to a build that is released there is an error, unless it was recorded with gamedata build --amend since; so is a
builds.lock.json whose entries are edited or missing. Use it in CI, where builds.lock.json can be part of the change that is checked.

Exit code: 0 no errors, 1 errors were found, 2 wrong usage.

Examples:
  gamedata check                            check every game in data/
  gamedata check arknights --format json    findings and all coverage as JSON, for an editor or a pull request
  gamedata check --against origin/main      nothing that is released there changes unnoticed, for a pull request
  gamedata check --against https://cdn.example.org/dist    nothing that is published there changes unnoticed`,
    )
    .action((slugs: string[], options: CheckOptions) => check(slugs, options, start));
}

async function check(slugs: string[], options: CheckOptions, start?: StartWorkers): Promise<void> {
  const chosen = await common.chooseGames(slugs, options.data);
  const published = await readAgainst(options);
  const now = Date.now();
  const progress = createProgress(process.stderr);
  const compiler = startCompiler(options.jobs, common.limitsOf(options), chosen.length, start);
  const { value, findings, coverage } = await compiler
    .compile(options.data, chosen, progress, {
      keep: { in: 'nothing' },
      upstream: common.upstreamOf(options),
      ...(published && { published }),
      now,
    })
    .finally(() => compiler.close());
  progress.clear();
  if (published) findings.push(...(await findEditedLocks(published, options.data, value, now)));
  if (published && slugs.length === 0) findings.push(...findMissingGames(published, options.data, chosen));
  const found = findings.length > 0 ? `${renderFindings(findings)}\n` : '';
  if (options.format === 'json') process.stdout.write(findingsToJson(findings, { coverage }));
  else process.stdout.write(found + renderCoverage(coverage, options.coverage));
  const { errors } = countFindings(findings);
  if (errors > 0) throw new CommandError(`${countOf(errors, 'error')} found`);
}

/** Reads the value of `--against`: a dist/ at an address, a commit, or a dist/ folder. A folder in a checkout cannot replace a commit. */
async function readAgainst({ against, data }: CheckOptions): Promise<Published | undefined> {
  if (against === undefined) return undefined;
  if (/^https?:/i.test(against)) return await readPublished(against);
  const ref = await openDataAtRef(data, against, 'a dist/ folder or its address').catch((error: unknown) => {
    if (existsSync(against)) return undefined;
    throw error;
  });
  if (ref === undefined) return await readPublished(against);
  return await readPublishedAtRef(ref, `${against}, commit ${ref.commit.slice(0, 10)}`);
}
