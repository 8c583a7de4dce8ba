import { readKey } from './key.ts';

/** How far from the window an island comes to life, so that a reader finds it ready. */
const MARGIN = '200px';

/**
 * Brings the islands of a name to life when a reader comes near them, or at once with a key in the tab: until then their code is not loaded.
 *
 * @param load loads the code, which mounts all of them
 */
export function mountLater(name: string, load: () => Promise<unknown>): void {
  const places = [...document.querySelectorAll(`[data-island="${name}"]`)];
  if (places.length === 0) return;
  if (readKey() !== undefined) {
    void load();
    return;
  }
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void load();
    },
    { rootMargin: MARGIN },
  );
  for (const place of places) observer.observe(place);
}
