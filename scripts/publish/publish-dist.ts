import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Publication } from '../dist/ports.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf, megabytes } from '../lib/count-of.ts';
import { isObjectStore } from '../publication/bucket-options.ts';
import { openObjectStore } from '../publication/object-store.ts';
import type { Progress } from '../lib/progress.ts';
import { readPrivateKey } from '../publication/signature.ts';
import { orCommandError } from '../lib/system-error.ts';
import { FolderTarget } from './folder-target.ts';
import { type Published, publish, sizeOf } from './publish.ts';
import type { Target } from './target.ts';

/** Publishes a dist/ as a whole, signed if the environment has a key. Returns what was done, in one line. */
export async function publishDist(
  { target: address, endpoint, ...what }: Publication,
  progress: Progress,
): Promise<string> {
  const target = await openTarget(address, endpoint);
  const signingKey = await readSigningKey(undefined);
  const how = { snapshots: false, prune: false, verify: false, dryRun: false, now: Date.now() };
  const published = await publish(target, { ...what, ...how, signingKey }, progress).finally(progress.clear);
  return summarise(published, false);
}

/** Opens a target. The client for S3 is loaded only if it is needed. */
export async function openTarget(address: string, endpoint: string | undefined): Promise<Target> {
  if (!isObjectStore(address)) return new FolderTarget(address);
  const store = openObjectStore(address, endpoint);
  if (!store)
    throw new CommandError(`${address} is not the address of a bucket, expected s3://bucket/prefix`, 2);
  const { S3Target } = await import('./s3-target.ts');
  return new S3Target(store);
}

/** Reads the key that signs, from a file or GAMEDATA_SIGNING_KEY. @returns undefined if nothing is to be signed */
export async function readSigningKey(file: string | undefined): Promise<KeyObject | undefined> {
  // Many systems pass variables as one line.
  const variable = process.env.GAMEDATA_SIGNING_KEY?.replaceAll('\\n', '\n');
  const place = file ?? 'GAMEDATA_SIGNING_KEY';
  const reading = file === undefined ? variable : readFile(file, 'utf8');
  const text = await orCommandError(
    Promise.resolve(reading),
    (reason) => `${place} cannot be read: ${reason}`,
  );
  if (text === undefined || text === '') return undefined;
  const key = readPrivateKey(text);
  if (key) return key;
  throw new CommandError(`${place} is not an Ed25519 private key: make one with gamedata keypair`, 2);
}

/** Describes a publication in one line. */
export function summarise({ files, sent, removed, isNewIndex, serial }: Published, dryRun: boolean): string {
  const parts = [
    `${countOf(files.length, 'file')}, ${megabytes(sizeOf(files))}`,
    `${sent.length} ${dryRun ? 'to send' : 'sent'}, ${megabytes(sizeOf(sent))}`,
    `${removed.length} ${dryRun ? 'to remove' : 'removed'}`,
  ];
  if (isNewIndex) parts.push(dryRun ? 'the index to replace' : 'the index replaced');
  if (serial !== undefined) parts.push(`serial ${serial}`);
  return parts.join('; ');
}
