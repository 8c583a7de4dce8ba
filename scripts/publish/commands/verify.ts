import { Command } from 'commander';
import { readIndex } from '../../dist/read-dist.ts';
import { verifyDist } from '../verify-dist.ts';
import { INDEX_FILE } from '../../format/dist-format.ts';
import { CommandError } from '../../lib/command-error.ts';
import { countOf, megabytes } from '../../lib/count-of.ts';

/** `gamedata verify`. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('hash every file of dist/, and compare with its index')
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .addHelpText(
      'after',
      `
Exit code: 0 no faults, 1 a file is missing or damaged, 2 wrong usage.

Example:
  gamedata verify --out /srv/dist`,
    )
    .action(({ out }: { out: string }) => verify(out));
}

async function verify(out: string): Promise<void> {
  const index = await readIndex(out);
  if (index === undefined) throw new CommandError(`no ${out}/${INDEX_FILE}: run gamedata build`);
  const { files, bytes, faults } = await verifyDist(out, index);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) {
    throw new CommandError(
      `${countOf(faults.length, 'fault')} in ${out}/: delete the damaged files and run gamedata build`,
    );
  }
  const parts = [countOf(index.games.length, 'game'), countOf(files, 'file'), megabytes(bytes)];
  process.stdout.write(`${parts.join(', ')}: no faults\n`);
}
