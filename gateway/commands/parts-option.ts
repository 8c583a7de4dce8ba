import { Command, Option } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { type Doors, openDoors } from '../../scripts/lib/port.ts';
import type { Door } from './door.ts';

const [ALL, NONE] = ['all', 'none'];

/** The option of `gateway serve` for its parts. It is read before the others, because parts add options. */
export function partsOption(): Option {
  return new Option(
    '--parts <names>',
    `which parts to serve with: ${ALL}, ${NONE} for the API alone, or their names, separated by commas`,
  )
    .env('GATEWAY_PARTS')
    .default(ALL);
}

/**
 * Opens the doors of the parts that a command line chooses for `serve`; of all parts for other commands.
 *
 * @param words the command line
 * @throws CommandError if a part does not exist or is not installed
 */
export async function openParts(words: readonly string[], doors: Doors<Door>): Promise<Door[]> {
  const chosen = words.includes('serve') ? readNames(words) : undefined;
  const unknown = chosen?.find((name) => !Object.hasOwn(doors, name));
  if (unknown !== undefined)
    throw new CommandError(
      `--parts: there is no part "${unknown}", expected ${[ALL, NONE, ...Object.keys(doors)].join(', ')}`,
      2,
    );
  const opened = await openDoors(doors, chosen);
  const missing = chosen?.find((name) => !opened.some((door) => door.name === name));
  if (missing !== undefined)
    throw new CommandError(`--parts: the part "${missing}" is not installed; install the whole package`, 2);
  for (const door of opened) door.offer?.();
  return opened;
}

/** @returns undefined for all parts */
function readNames(words: readonly string[]): string[] | undefined {
  const { parts } = new Command()
    .addOption(partsOption())
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ outputError() {} })
    .parse(words, { from: 'user' })
    .opts<{ parts: string }>();
  if (parts === ALL) return undefined;
  return parts === NONE ? [] : parts.split(',').map((name) => name.trim());
}
