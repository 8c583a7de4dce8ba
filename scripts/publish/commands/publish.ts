import { Command, InvalidArgumentError, Option } from 'commander';
import { countOf } from '../../lib/count-of.ts';
import { addUncheckedOption, type UncheckedOptions } from '../../commands/games.ts';
import { canOthersRead } from '../../lib/private-files.ts';
import { createProgress } from '../../lib/progress.ts';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE, isObjectStore } from '../../publication/bucket-options.ts';
import { type Published, publish } from '../publish.ts';
import { openTarget, readSigningKey, summarise } from '../publish-dist.ts';

interface PublishCommandOptions extends UncheckedOptions {
  endpoint?: string;
  dist: string;
  snapshots: boolean;
  prune: boolean;
  verify: boolean;
  dryRun: boolean;
  signingKey?: string;
  serial?: number;
  supersede?: number;
  allowOlder: boolean;
}

/** `gamedata publish`. */
export function publishCommand(): Command {
  return addUncheckedOption(new Command('publish'))
    .description('copy dist/ to a folder or bucket, from which other gateways or a CDN read it')
    .argument('<target>', 'a folder, or s3://bucket/prefix')
    .option('--dist <folder>', 'the folder with the compiled files', 'dist')
    .addOption(new Option('--endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .option(
      '--snapshots',
      'only the snapshots of builds that are released by now, for a CDN; run it again after each release',
      false,
    )
    .option(
      '--prune',
      'remove files that the index no longer names and that were sent more than a day ago',
      false,
    )
    .option('--verify', 'also read the files of the target, and replace damaged ones', false)
    .option(
      '--signing-key <file>',
      'sign what is published with this private key, see gamedata keypair (default: the key in GAMEDATA_SIGNING_KEY, if it is set)',
    )
    .option('--serial <number>', 'the least serial to publish with, after the target was restored', serial)
    .option(
      '--supersede <serial>',
      'a serial that was far too high: gateways that follow it, or a later one, follow what is published now',
      serial,
    )
    .option('--allow-older', 'publish although released builds vanish that the target has', false)
    .option('--dry-run', 'show what would be sent and removed', false)
    .addHelpText(
      'after',
      `
Only missing files are sent, and the index last: a reader never sees a name without its file. After an interruption, run it again: it
continues where it stopped. Without --snapshots the target also holds builds that are not released yet: keep it private.

published.json is written last. It has the index and a serial that only grows, so that a gateway notices when it gets an older state.
It grows by 1,000,000 at most. If someone wrote a serial that is too high, find out who, then publish with --supersede <that serial> and --serial
<one more than the last right one>; without --serial it is 1,000,000. Gateways that follow the high one, and those that refused it, then follow yours.
A serial at most 1,000,000 above the last right one needs no --supersede: continue after it.

Exit code: 0 done, 1 failed (the index of the target has not changed), 2 wrong usage.

Examples:
  gamedata publish /srv/dist                          all of dist/, for gateways
  gamedata publish /srv/cdn --snapshots --prune       the files that signed addresses lead to
  gamedata publish s3://games/dist --endpoint https://s3.example.org
  gamedata publish s3://games/dist --verify           after a gateway has reported a damaged file there

Credentials for a bucket come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if they are temporary, AWS_SESSION_TOKEN.`,
    )
    .action(run);
}

async function run(address: string, options: PublishCommandOptions): Promise<void> {
  const { endpoint, signingKey: keyFile, ...rest } = options;
  const signingKey = await readSigningKey(keyFile);
  const progress = createProgress(process.stderr);
  const target = await openTarget(address, endpoint);
  const published = await publish(target, { ...rest, signingKey, now: Date.now() }, progress).finally(
    progress.clear,
  );
  if (options.dryRun) for (const line of listChanges(published)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${summarise(published, options.dryRun)}\n`);
  if (!isObjectStore(address) && published.unreleased > 0 && (await canOthersRead(address))) {
    process.stderr.write(
      `warning: all users of this machine can read ${address}, which holds ${countOf(published.unreleased, 'build')} before the release; ` +
        `let only the group of its readers in (chmod -R o-rwx ${address}), and publish with umask 027, or use --snapshots\n`,
    );
  }
}

function serial(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number, 1 or more.');
}

function listChanges({ sent, removed }: Published): string[] {
  return [...sent.map(({ file }) => `+ ${file}`), ...removed.map((file) => `- ${file}`)];
}
