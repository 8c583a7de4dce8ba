import { Command, Option } from 'commander';
import { CommandError } from '../lib/command-error.ts';
import { countOf, megabytes } from '../lib/count-of.ts';
import { createProgress } from '../lib/progress.ts';
import { folderTarget } from '../publish/folder-target.ts';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE, isObjectStore, openObjectStore } from '../publish/object-store.ts';
import { type Published, publish, sizeOf } from '../publish/publish.ts';
import type { Target } from '../publish/target.ts';

interface PublishCommandOptions {
  endpoint?: string;
  dist: string;
  snapshots: boolean;
  prune: boolean;
  verify: boolean;
  dryRun: boolean;
}

/** `gamedata publish`. */
export function publishCommand(): Command {
  return new Command('publish')
    .description('bring dist/ to where gateways on other machines, or a CDN, read it')
    .argument('<target>', 'a folder, or s3://bucket/prefix')
    .option('--dist <folder>', 'the folder with the compiled files', 'dist')
    .addOption(new Option('--endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .option(
      '--snapshots',
      'only the snapshots of builds that are released by now, for a CDN; run it again when more are',
      false,
    )
    .option('--prune', 'remove what is named no more and was sent more than a day ago', false)
    .option('--verify', 'read what is there too, and send anew what is damaged', false)
    .option('--dry-run', 'say what would be done', false)
    .addHelpText(
      'after',
      `
Only what is missing is sent, and the index last: a reader never sees a name without its file. Interrupted, it goes on where it stopped
when it is run again. Without --snapshots the target holds builds that nobody may see yet: keep it private.

Exit code: 0 done, 1 not possible (the index of the target is as it was), 2 wrong usage.

Examples:
  gamedata publish /srv/dist                          all of dist/, for gateways
  gamedata publish /srv/cdn --snapshots --prune       what signed addresses lead to
  gamedata publish s3://games/dist --endpoint https://s3.example.org
  gamedata publish s3://games/dist --verify           after a gateway said that a file there is damaged

Credentials for a bucket are found where the tools of AWS look: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws.`,
    )
    .action(run);
}

async function run(address: string, { endpoint, ...options }: PublishCommandOptions): Promise<void> {
  const progress = createProgress(process.stderr);
  const target = await openTarget(address, endpoint);
  const published = await publish(target, { ...options, now: Date.now() }, progress).finally(progress.clear);
  if (options.dryRun) for (const line of listChanges(published)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${summarise(published, options.dryRun)}\n`);
}

/** Opens a target. Only what its kind needs is loaded. */
async function openTarget(address: string, endpoint: string | undefined): Promise<Target> {
  if (!isObjectStore(address)) return folderTarget(address);
  const store = await openObjectStore(address, endpoint);
  if (!store)
    throw new CommandError(`${address} is not the address of a bucket, expected s3://bucket/prefix`, 2);
  const { s3Target } = await import('../publish/s3-target.ts');
  return s3Target(store);
}

function listChanges({ sent, removed }: Published): string[] {
  return [...sent.map(({ file }) => `+ ${file}`), ...removed.map((file) => `- ${file}`)];
}

function summarise({ files, sent, removed, isNewIndex }: Published, dryRun: boolean): string {
  const parts = [
    `${countOf(files.length, 'file')}, ${megabytes(sizeOf(files))}`,
    `${sent.length} ${dryRun ? 'to send' : 'sent'}, ${megabytes(sizeOf(sent))}`,
    `${removed.length} ${dryRun ? 'to remove' : 'removed'}`,
  ];
  if (isNewIndex) parts.push(dryRun ? 'the index to replace' : 'the index replaced');
  return parts.join('; ');
}
