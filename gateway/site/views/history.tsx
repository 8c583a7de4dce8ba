import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { Change } from '../model/changes.ts';
import { formatDate, type Known, type Reader } from '../model/format-value.ts';
import { plotOfSeries, type Series } from '../model/plot-data.ts';
import type { Browser } from './browser.ts';
import { ChangeList } from './patch/change-list.tsx';
import { PlotFigure } from './plot-figure.tsx';
import { ReplyProblem } from './reply-state.tsx';
import { useReply } from './use-reply.ts';

/** Properties of `History`. */
export interface HistoryProps {
  game: string;
  id: string;
  /** The record now, whose stats are plotted. */
  record: JsonObject;
  apiKey: string;
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
  browser: Browser;
}

/** The response of `/api/{game}/history/{id}`. */
interface Timeline {
  timeline: { build: string; released_at: string; kind: string; changes?: Change[] }[];
}

const MAX_FIELDS = 50;

/** What each build changed in a character, and its stats over builds. For Pro keys. */
export function History({
  game,
  id,
  record,
  apiKey,
  attributes,
  reader,
  browser,
}: HistoryProps): JSX.Element {
  const path = `/api/${game}/history/${encodeURIComponent(id)}`;
  const asked = useReply<Timeline>(browser, path, apiKey);
  const fields = useMemo(() => numericStats(record), [record]);
  const series = useReply<Series>(
    browser,
    fields.length > 0 ? `${path}/series?fields=${fields.map(encodeURIComponent).join()}` : undefined,
    apiKey,
  ).reply?.body;
  const plot = useMemo(
    () => series && plotOfSeries(series, attributes, reader.lang),
    [series, attributes, reader.lang],
  );
  const timeline = asked.reply?.body?.timeline;
  return (
    <section class="history" id="history">
      <h2>History</h2>
      <ReplyProblem asked={asked} />
      {plot && plot.lines.length > 0 && (
        <PlotFigure plot={plot} browser={browser} locale={reader.locale} hasTable={false} />
      )}
      {plot && plot.lines.length === 0 && (
        <p>
          Its stats are the same in {plot.xs.length === 1 ? 'the only build' : `all ${plot.xs.length} builds`}{' '}
          that has it.
        </p>
      )}
      <ol class="timeline" reversed>
        {timeline?.toReversed().map(({ build, released_at, kind, changes = [] }, at) => (
          <li key={at}>
            <p>
              <strong>{build}</strong> <span class="badge">{kind}</span>{' '}
              <time dateTime={released_at} class="muted small">
                {formatDate(released_at.slice(0, 10), reader.locale)}
              </time>
            </p>
            <ChangeList {...{ changes, attributes, reader }} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function numericStats(record: JsonObject): string[] {
  const { stats } = record;
  if (typeof stats !== 'object' || stats === null || Array.isArray(stats)) return [];
  return Object.entries(stats)
    .filter(([, value]) => typeof value === 'number')
    .map(([name]) => `stats.${name}`)
    .slice(0, MAX_FIELDS);
}
