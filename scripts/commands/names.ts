import { InvalidArgumentError } from 'commander';
import { BUILD_NAME, SLUG } from '../format/dist-format.ts';
import { relativePath } from '../read/table-definition.ts';

/** Reads a game's slug. */
export function slugArgument(text: string): string {
  if (new RegExp(SLUG).test(text)) return text;
  throw new InvalidArgumentError('expected lowercase letters, digits and single hyphens; at most 64.');
}

/** Reads a build's name. */
export function buildArgument(text: string): string {
  if (new RegExp(BUILD_NAME).test(text)) return text;
  throw new InvalidArgumentError(
    'expected a URL-safe name (letters, digits, ".", "_", "~", "-"; a letter or digit first; at most 64) other than "latest".',
  );
}

/** Reads the path of a folder inside a build's. */
export function subFolderArgument(text: string): string {
  const folder = text.replace(/\/$/, '');
  const hidden = folder.split('/').some((step) => step.startsWith('.'));
  if (new RegExp(relativePath.pattern).test(folder) && !hidden && folder !== 'build.json') return folder;
  throw new InvalidArgumentError(`expected ${relativePath.description}, and no hidden folder.`);
}
