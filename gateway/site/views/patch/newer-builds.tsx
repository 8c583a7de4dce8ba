import type { JSX } from 'preact';
import { formatDate } from '../../model/format-value.ts';
import type { NewerBuildsData } from '../../model/page-data.ts';
import type { Browser } from '../browser.ts';
import { useKey, useLocale, useReply, useTier } from '../use-reply.ts';

/** Properties of `NewerBuilds`. */
export interface NewerBuildsProps {
  data: NewerBuildsData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

/** What is read of `/api/{game}/history`. */
interface HistoryReply {
  builds: { build: string; released_at: string }[];
}

/** How many builds are looked at: those that visitors do not see are the newest. */
const NEWEST = 20;

/** The builds that visitors do not see yet, for Pro keys; for others, that there may be some. */
export function NewerBuilds({
  data: { game, newest, delayHours },
  browser,
}: NewerBuildsProps): JSX.Element | null {
  const [key] = useKey(browser);
  const locale = useLocale(browser);
  const { tier } = useTier(browser, key);
  const path = tier === 'pro' ? `/api/${game}/history?limit=${NEWEST}` : undefined;
  const history = useReply<HistoryReply>(browser, path, key).reply?.body;
  if (history === undefined) {
    return (
      <p class="small muted">
        Builds are listed {delayHours} hours after their release. Pro accounts see them at once.
      </p>
    );
  }
  const at = history.builds.findIndex(({ build }) => build === newest);
  if (at <= 0) return null;
  return (
    <ol class="rows" reversed>
      {history.builds.slice(0, at).map(({ build, released_at }) => (
        <li key={build}>
          <a href={`/games/${game}/patches/${encodeURIComponent(build)}`}>
            <strong>{build}</strong>
          </a>
          <span>Pro only until it is {delayHours} hours old</span>
          <time dateTime={released_at} class="muted">
            {formatDate(released_at.slice(0, 10), locale)}
          </time>
        </li>
      ))}
    </ol>
  );
}
