import type { RawGameDefinition } from '../../read/definition.ts';
import type { FoundBuild, UpstreamOptions } from '../../read/game.ts';
import type { RawSource } from './source-definition.ts';
import { FileUpstream } from './file-upstream.ts';
import { checkGit } from '../../check/git.ts';
import { NpmUpstream } from './npm-upstream.ts';
import { type GameUpstream, Upstream } from './upstream.ts';

/**
 * Fetches what upstream has of a game, from a repository, a package or addresses, and calls `use` with it.
 *
 * @throws CommandError if it cannot be fetched, or an address is not allowed
 */
export async function useUpstream<T>(
  { raw, source, builds }: { raw: RawGameDefinition; source: RawSource; builds: readonly FoundBuild[] },
  options: UpstreamOptions,
  use: (upstream: GameUpstream) => Promise<T>,
): Promise<T> {
  if (source.npm !== undefined) return await NpmUpstream.use(raw, source, builds, options, Date.now(), use);
  if (source.git === undefined) return await FileUpstream.use(raw, source, options, Date.now(), use);
  await checkGit();
  return await Upstream.use(raw, source, options, use);
}
