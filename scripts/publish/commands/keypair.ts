import { rm, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { CommandError } from '../../lib/command-error.ts';
import { createSigningKeys } from '../../publication/signature.ts';
import { isSystemError } from '../../lib/system-error.ts';

/** `gamedata keypair`. */
export function keypairCommand(): Command {
  return new Command('keypair')
    .description('make a pair of keys, to sign what gamedata publish sends')
    .argument('<file>', 'a new file for the private key')
    .addHelpText(
      'after',
      `
Keep the private key where you publish: gamedata publish --signing-key <file>, or its text in GAMEDATA_SIGNING_KEY. Give the public key,
which is printed, to the gateways: GATEWAY_DIST_KEY.

Exit code: 0 done, 1 the file exists or cannot be written, 2 wrong usage.

Example:
  gamedata keypair publish.key`,
    )
    .action(run);
}

async function run(file: string): Promise<void> {
  const { privateKey, publicKey } = createSigningKeys();
  await writeFile(file, privateKey, { mode: 0o600, flag: 'wx', flush: true }).catch(
    async (error: unknown) => {
      if (!isSystemError(error)) throw error;
      if (error.code !== 'EEXIST') await rm(file, { force: true }).catch(() => {});
      const reason = error.code === 'EEXIST' ? 'it exists; choose another name' : error.message;
      throw new CommandError(`${file} cannot be written: ${reason}`);
    },
  );
  process.stdout.write(`GATEWAY_DIST_KEY=${publicKey}\n`);
}
