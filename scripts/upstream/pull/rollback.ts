import path from 'node:path';
import { Command, Option } from 'commander';
import { slugArgument, UPSTREAM_VARIABLE } from '../../commands/options.ts';
import { DEFAULT_LIMITS, type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { publishDist } from '../../publish/publish.ts';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE } from '../../publish/targets.ts';
import { DEFAULT_UPSTREAM_CACHE } from '../../read/game.ts';
import { CommandError, createProgress } from '../../system.ts';
import { readOrRefuse } from '../add/add-build.ts';
import { buildOne, withPullLock } from './round.ts';
import { GameState } from './state.ts';
import { takeOut } from './try-build.ts';

interface RollbackOptions {
  data: string;
  out: string;
  cache: string;
  allowLocal: boolean;
  publish?: string;
  endpoint?: string;
  reason: string;
}

/** `gamedata rollback`: takes a build back that is served. */
export function rollbackCommand(start?: StartWorkers): Command {
  return new Command('rollback')
    .description(
      'take the newest build of a game back, build dist/ without it, and keep pull from taking it again',
    )
    .argument('<slug>', 'the game', slugArgument)
    .argument('[build]', 'the newest build, to be sure which one is taken back')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .addOption(
      new Option('--cache <folder>', 'where copies of upstream files are kept')
        .env(UPSTREAM_VARIABLE)
        .default(DEFAULT_UPSTREAM_CACHE),
    )
    .option('--allow-local', 'allow repositories on this machine, in private networks and over http', false)
    .option('--publish <target>', 'publish it to a folder or s3://bucket/prefix')
    .addOption(new Option('--endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .option('--reason <text>', 'why, for the history', 'It was published by mistake.')
    .addHelpText(
      'after',
      `
The build is recorded as withdrawn. Running gateways follow. gamedata pull <slug> --take <build> lets pull take it again.

Exit code: 0 done, 1 the game cannot be built without it, and it stays; 2 wrong usage.

Example:
  gamedata rollback my-game --publish s3://games/dist`,
    )
    .action((slug: string, build: string | undefined, options: RollbackOptions) =>
      withPullLock(options.data, () => rollback(slug, build, options, start)),
    );
}

async function rollback(
  slug: string,
  wanted: string | undefined,
  options: RollbackOptions,
  start?: StartWorkers,
): Promise<void> {
  const { data, out, cache, publish: target, endpoint, reason } = options;
  const folder = path.posix.join(data, slug);
  const { builds } = await readOrRefuse(folder, cache);
  const [before, newest] = [builds.at(-2), builds.at(-1)];
  if (newest === undefined || before === undefined)
    throw new CommandError(
      `${slug} has no build before ${newest?.build ?? 'it'}: remove its folder to serve nothing of it`,
      2,
    );
  const { build } = newest;
  if (wanted !== undefined && wanted !== build)
    throw new CommandError(
      `${wanted} is not the newest build of ${slug}, which is ${build}: later builds inherit from it; take those back first`,
      2,
    );
  const state = await GameState.read(folder);
  await state.change((content) => {
    content.builds[build] = { ...content.builds[build], skip: true };
    delete content.seen?.[build];
    delete content.carried;
  });
  await takeOut(folder, build);
  const compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  // A build that nobody has seen is not recorded as withdrawn.
  const amend = Date.parse(newest.released_at) <= Date.now() ? reason : undefined;
  await buildOne(compiler, slug, { ...options, formats: [] }, amend).finally(() => compiler.close());
  if (target !== undefined) {
    const done = await publishDist({ dist: out, target, endpoint }, createProgress(process.stderr));
    process.stdout.write(`${target}: ${done}\n`);
  }
  process.stdout.write(
    `${slug}: ${before.build} is served again; ${build} is withdrawn, and pull leaves it out until gamedata pull ${slug} --take ${build}\n`,
  );
}
