import { Command, Option } from 'commander';
import { type PublishOptions, publishTo } from '../publish/publish.ts';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE, isObjectStore } from '../publish/targets.ts';
import { CommandError, canOthersRead } from '../system.ts';
import { countOf } from '../text.ts';
import { targetArgument } from './options.ts';

/** `gamedata publish`. */
export function publishCommand(): Command {
  return new Command('publish')
    .description('copy dist/ to a folder or bucket, from which other gateways or a CDN read it')
    .argument('<target>', 'a folder, or s3://bucket/prefix', targetArgument)
    .option('--dist <folder>', 'the folder with the compiled files', 'dist')
    .addOption(new Option('--endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .option(
      '--snapshots',
      'only the snapshots of builds that are released by now, for a CDN; run it again after each release',
      false,
    )
    .option(
      '--prune',
      'remove files that the index has not named for more than a day, as unnamed.txt there says',
      false,
    )
    .option('--verify', 'also read the files of the target, and replace damaged ones', false)
    .option('--allow-older', 'publish although released builds vanish that the target has', false)
    .addHelpText(
      'after',
      `
Only missing files are sent, and the index last: a reader never sees a name without its file. After an interruption, run it again: it
continues where it stopped. Without --snapshots the target also holds builds that are not released yet: keep it private. A game that is
damaged in dist/, older there, or a draft stays as it is at the target, and the others are published.

Exit code: 0 done, 1 failed (the index of the target has not changed, except if unnamed.txt or --prune failed), or a game stays as it is, 2 wrong usage.

Examples:
  gamedata publish /srv/dist                          all of dist/, for gateways
  gamedata publish /srv/cdn --snapshots --prune       the files that signed links lead to
  gamedata publish s3://games/dist --endpoint https://s3.example.org
  gamedata publish s3://games/dist --verify           after a gateway has reported a damaged file there

Credentials for a bucket come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if they are temporary, AWS_SESSION_TOKEN.`,
    )
    .action(run);
}

async function run(address: string, options: Omit<PublishOptions, 'now'>): Promise<void> {
  const published = await publishTo(address, { ...options, now: Date.now() });
  if (!isObjectStore(address) && published.unreleased > 0 && (await canOthersRead(address))) {
    process.stderr.write(
      `warning: all users of this machine can read ${address}, which holds ${countOf(published.unreleased, 'build')} before the release; ` +
        `let only the group of its readers in (chmod -R o-rwx ${address}), and publish with umask 027, or use --snapshots\n`,
    );
  }
  if (published.faults.length > 0)
    throw new CommandError(published.faults.map(({ message }) => message).join('\n'));
}
