import type { JSX } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { formatDate, type Reader } from '../../model/format-value.ts';
import type { PatchData } from '../../model/page-data.ts';
import { arrangePatch, type BuildDiff, PUBLIC_PATCH } from '../../model/patch-notes.ts';
import type { Browser } from '../browser.ts';
import { PatchSection } from './patch-section.tsx';
import { ReplyProblem } from '../reply-state.tsx';
import { RequestBox } from '../request-box.tsx';
import { useLocale, useReply } from '../use-reply.ts';

/** Properties of `PatchChanges`. */
export interface PatchChangesProps {
  data: PatchData;
  /** Of a Pro account. */
  apiKey: string;
  browser: Browser;
}

/** A build of `/api/{game}/history`, of which only this is used. */
interface HistoryEntry {
  build: string;
  released_at: string;
  previous: string | null;
  note: string | null;
}

/** A build that visitors do not see yet is one of the newest. */
const NEWEST = 20;

/** What a build changed, as the API says it. */
export function PatchChanges({ data, apiKey, browser }: PatchChangesProps): JSX.Element {
  const { game, build } = data;
  const reader: Reader = { locale: useLocale(browser), lang: '' };
  const isPublic = data.previous !== undefined;
  const history = useReply<{ builds: HistoryEntry[] }>(
    browser,
    isPublic ? undefined : `/api/${game}/history?limit=${NEWEST}`,
    apiKey,
  );
  const builds = history.reply?.body?.builds;
  const entry = builds?.find((each) => each.build === build);
  const previous = data.previous ?? entry?.previous ?? undefined;
  const path = `/api/${game}/diff`;
  const query = `from=${encodeURIComponent(previous ?? '')}&to=${encodeURIComponent(build)}`;
  const asked = useReply<BuildDiff>(browser, previous === undefined ? undefined : `${path}?${query}`, apiKey);
  const diff = asked.reply?.body;
  const parts = useMemo(() => diff && arrangePatch(diff), [diff]);
  useLayoutEffect(() => {
    if (parts) browser.hide(PUBLIC_PATCH);
  }, [parts]);
  return (
    <div aria-busy={history.isLoading || asked.isLoading}>
      <ReplyProblem asked={history} />
      <ReplyProblem asked={asked} />
      {builds && entry === undefined && <NoSuchBuild {...{ game, build, builds }} />}
      {entry && <About entry={entry} reader={reader} />}
      {parts?.length === 0 && <p>This build changed nothing in the data.</p>}
      {parts?.map((part, at) => (
        <PatchSection key={part.key} {...{ game, part, reader, browser, apiKey }} isOpen={at === 0} />
      ))}
      {parts && (
        <RequestBox
          request={{ origin: browser.origin, path, query }}
          remaining={asked.reply?.remaining ?? []}
          copy={(text) => browser.copy(text)}
        />
      )}
    </div>
  );
}

function About({
  entry: { build, released_at, previous, note },
  reader,
}: {
  entry: HistoryEntry;
  reader: Reader;
}) {
  return (
    <>
      <p class="lead">
        <strong>{build}</strong>, released{' '}
        <time dateTime={released_at}>{formatDate(released_at.slice(0, 10), reader.locale)}</time>
        {previous === null && '. It is the first build of the game.'}
      </p>
      {note !== null && <p>{note}</p>}
    </>
  );
}

function NoSuchBuild({
  game,
  build,
  builds,
}: {
  game: string;
  build: string;
  builds: readonly HistoryEntry[];
}) {
  return (
    <p>
      There is no build {build}. The newest ones:{' '}
      {builds.map(({ build: name }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <a href={`/games/${game}/patches/${encodeURIComponent(name)}`}>{name}</a>
        </span>
      ))}
    </p>
  );
}
