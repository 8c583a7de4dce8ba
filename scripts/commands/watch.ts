import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { watch } from 'chokidar';

/** How long a change waits for further ones: editors save in several steps. */
const DEBOUNCE_MS = 40;

/**
 * Watches game folders until the process receives SIGINT or SIGTERM. Changes during a rebuild are handled after it.
 *
 * @param slugs the games to watch; all if empty
 * @param begin called first; changes during it are handled after it
 * @param rebuild receives the changed games; undefined if game folders were added or removed
 */
export async function watchGames(
  data: string,
  slugs: readonly string[],
  begin: () => Promise<void>,
  rebuild: (changed: string[] | undefined) => Promise<void>,
): Promise<void> {
  const changed = new Set<string>();
  let foldersChanged = false;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(data, { ignoreInitial: true, followSymlinks: false });
  await once(watcher, 'ready');
  let working = begin();
  working.catch((error) => watcher.emit('error', error));
  const failed = new Promise<never>((_, reject) => watcher.on('error', reject));

  const work = async () => {
    const games = [...changed];
    const isOtherSet = foldersChanged || games.some((slug) => !existsSync(path.join(data, slug)));
    foldersChanged = false;
    changed.clear();
    await rebuild(isOtherSet ? undefined : games);
  };
  watcher.on('all', (event, file) => {
    const [slug, ...below] = path.relative(data, file).split(path.sep);
    if (!slug || (slugs.length > 0 && !slugs.includes(slug))) return;
    if (below.length === 0) {
      if (!event.endsWith('Dir')) return;
      foldersChanged = true;
    }
    changed.add(slug);
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(work);
      working.catch((error) => watcher.emit('error', error));
    }, DEBOUNCE_MS);
  });

  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  try {
    await Promise.race([ended, failed]);
    clearTimeout(timer);
    await working;
  } finally {
    await watcher.close();
  }
}
