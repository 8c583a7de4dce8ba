import type { KeyObject } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE } from '../../scripts/publish/targets.ts';
import { readPublicKey } from '../../scripts/publication/signature.ts';
import { parseSwitch } from '../commands/strict-mode.ts';

/** The options that this part adds to `gateway serve`. */
export interface MirrorOptions {
  /** The folder of the copy. */
  cache: string;
  /** The endpoint of an S3-compatible store other than AWS. */
  s3Endpoint?: string | undefined;
  /** Public keys; if there are any, a state has to be signed by one. */
  distKey?: readonly KeyObject[];
  /** Whether to follow a state although a newer one was followed before. */
  distAllowOlder?: boolean;
}

/** Adds the options for a dist/ that is not on this machine. */
export function addMirrorOptions(command: Command): void {
  command
    .addOption(
      new Option('--cache <folder>', 'folder for the copy of a dist that is not a folder')
        .env('GATEWAY_CACHE')
        .default('var/dist'),
    )
    .addOption(new Option('--s3-endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .addOption(
      new Option(
        '--dist-key <keys>',
        'public keys, separated by commas: only a published dist is followed that is signed with one (default: none)',
      )
        .env('GATEWAY_DIST_KEY')
        .default([], 'none')
        .argParser(parseDistKeys),
    )
    .addOption(
      new Option(
        '--dist-allow-older [on|off]',
        'follow a published dist although a newer one was followed before',
      )
        .env('GATEWAY_DIST_ALLOW_OLDER')
        .preset('on')
        .default(false, 'off')
        .argParser(parseSwitch),
    );
}

function parseDistKeys(text: string): KeyObject[] {
  return text.split(',').map((key) => {
    const publicKey = readPublicKey(key.trim());
    if (publicKey) return publicKey;
    throw new InvalidArgumentError('expected ed25519:… as gamedata keypair prints it.');
  });
}
