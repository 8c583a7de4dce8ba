import { readKey } from './key.ts';
import { shownBuild } from './shown-build.ts';

/** How often an open page asks which build is current, ms. A page in the background does not ask. */
const CHECK_MS = 60_000;

/**
 * Says on an open page that a newer build of its game has arrived. Asking costs no request of a free key: it sees what visitors see, and
 * that is at an address without a key. A key of a Pro account asks the API, where an unchanged response has no body and is not counted.
 *
 * @param place an `Arrival`, empty
 */
export function watchBuild(place: HTMLElement): void {
  const check = () => {
    if (!document.hidden) void checkBuild(place);
  };
  setInterval(check, CHECK_MS);
  document.addEventListener('visibilitychange', check);
}

async function checkBuild(place: HTMLElement): Promise<void> {
  const { game = '', title = '', build: rendered = '' } = place.dataset;
  const shown = shownBuild();
  const hasCaps = shown?.isCapped ?? true;
  const current = await readBuild(
    hasCaps ? `/games/${game}/build.json` : `/api/${game}/characters?limit=0`,
    hasCaps ? undefined : readKey(),
  );
  // Meanwhile, the page may have got another response of the API.
  if (current === undefined || shown?.build !== shownBuild()?.build) return;
  const before = shown?.build ?? rendered;
  const said = current === before ? '' : current;
  if (place.dataset.said === said) return;
  place.dataset.said = said;
  place.replaceChildren(...(said === '' ? [] : describe({ game, title, current, before })));
}

/** Returns the build in a response; undefined if there is none now. */
async function readBuild(path: string, key: string | undefined): Promise<string | undefined> {
  try {
    const response = await fetch(path, {
      cache: 'no-cache',
      headers: key === undefined ? {} : { 'X-API-Key': key },
    });
    return response.ok ? ((await response.json()) as { build: string }).build : undefined;
  } catch {
    return undefined;
  }
}

/** What has arrived, and the ways to see it. */
interface Arrived {
  game: string;
  title: string;
  current: string;
  before: string;
}

function describe({ game, title, current, before }: Arrived): Node[] {
  const text = document.createElement('p');
  text.append(
    Object.assign(document.createElement('strong'), { textContent: `Build ${current} of ${title} is here.` }),
    ` This page shows ${before}.`,
  );
  const show = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Show it' });
  show.addEventListener('click', () => location.reload());
  const href = `/games/${game}/patches/${encodeURIComponent(current)}`;
  return [text, show, Object.assign(document.createElement('a'), { href, textContent: 'What changed' })];
}
