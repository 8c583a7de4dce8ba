import { InvalidArgumentError } from 'commander';
import { BUILD_NAME, SLUG } from '../format/dist-format.ts';
import { relativePath } from '../read/game/table-definition.ts';

/** Reads a game's slug. */
export function slugArgument(text: string): string {
  if (new RegExp(SLUG).test(text)) return text;
  throw new InvalidArgumentError('expected at most 64 lowercase letters, digits and single hyphens.');
}

/** Reads a build's name. */
export function buildArgument(text: string): string {
  if (new RegExp(BUILD_NAME).test(text)) return text;
  throw new InvalidArgumentError(
    'expected a URL-safe name of at most 64 letters, digits, ".", "_", "~" and "-", starting with a letter or digit, other than "latest".',
  );
}

/** Reads the path of a folder inside a build's folder. */
export function subFolderArgument(text: string): string {
  const folder = text.replace(/\/$/, '');
  const hidden = folder.split('/').some((step) => step.startsWith('.'));
  if (new RegExp(relativePath.pattern).test(folder) && !hidden && folder !== 'build.json') return folder;
  throw new InvalidArgumentError(`expected ${relativePath.description}, without hidden folders.`);
}
