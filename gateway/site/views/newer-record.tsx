import type { JSX } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { NewerRecordData } from '../model/page-data.ts';
import { inReadingOrder } from '../model/in-order.ts';
import { nameKey, nameOfRecord } from '../model/format-value.ts';
import { referencesOf } from '../model/linked.ts';
import { type ViewSection, viewRecord } from '../model/record-view.ts';
import type { Browser } from './browser.ts';
import { History } from './history.tsx';
import { KeyBox } from './key-box.tsx';
import { RecordSections } from './record-sections.tsx';
import { ReplyProblem } from './reply-state.tsx';
import {
  type AttributesReply,
  useKey,
  useLastStep,
  useLocale,
  useNames,
  useReply,
  useTier,
} from './use-reply.ts';

/** Properties of `NewerRecord`. */
export interface NewerRecordProps {
  data: NewerRecordData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

/** A record, and what it is arranged with, as far as they have arrived. */
interface UnarrangedRecord {
  game: string;
  record: JsonObject | undefined;
  attributes: ReadonlyMap<string, Attribute> | undefined;
  locale: string;
  key: string | undefined;
}

/** The id of the element with the record that visitors see. */
export const PUBLIC_RECORD = 'public-record';

/** What a key shows of a record besides what visitors see: the record in a build that is not public yet, and its history. */
export function NewerRecord({ data, browser }: NewerRecordProps): JSX.Element {
  const { game, build, collection, isShown, isSample } = data;
  const id = useLastStep(browser, data.id);
  const [key, keepKey] = useKey(browser);
  const { tier, refusal } = useTier(browser, key);
  const hasHistory = collection === 'characters';
  const base = `/api/${game}/${collection}`;
  const isAsked = id !== '' && (tier === 'pro' || (isSample && tier !== undefined && !isShown));
  const asked = useReply<JsonObject>(browser, isAsked ? `${base}/${encodeURIComponent(id)}` : undefined, key);
  const record = asked.reply?.body;
  const isNewer = record !== undefined && (!isShown || asked.reply?.build !== build);
  const listed = useReply<AttributesReply>(browser, record && `${base}/attributes`, key).reply?.body
    ?.attributes;
  const attributes = useMemo(
    () => listed && new Map(inReadingOrder(listed).map((attribute) => [attribute.key, attribute])),
    [listed],
  );
  const locale = useLocale(browser);
  const reader = { locale, lang: '' };
  const sections = useSections(browser, {
    game,
    record: isNewer ? record : undefined,
    attributes,
    locale,
    key,
  });
  const newer = browser && sections && (
    <>
      <ShownBuild build={asked.reply?.build} isNewer />
      <RecordSections sections={sections} browser={browser} locale={locale} />
    </>
  );
  // In the place of what visitors see, so that nothing else on the page moves.
  useLayoutEffect(() => {
    if (isShown && newer) browser.show(PUBLIC_RECORD, newer);
  }, [sections]);
  return (
    <div class="newer-record" aria-busy={asked.isLoading}>
      {!isShown && record && newer && (
        <>
          <h2>{nameOfRecord(record)}</h2>
          {newer}
        </>
      )}
      {hasHistory && record && attributes && browser && key !== undefined && tier === 'pro' && (
        <History {...{ id, record, attributes, reader, browser, game }} apiKey={key} />
      )}
      {hasHistory && isShown && tier !== 'pro' && <HistoryForPro />}
      <ReplyProblem asked={asked} />
      <KeyBox
        purpose={purposeOf(data)}
        hasKey={key !== undefined && refusal === undefined}
        problem={refusal}
        onKey={browser && keepKey}
      />
    </div>
  );
}

/** Arranges a record, with the names of what it refers to; undefined until they are there. */
function useSections(
  browser: Browser | undefined,
  { game, record, attributes, locale, key }: UnarrangedRecord,
): ViewSection[] | undefined {
  const ids = useMemo(() => record && attributes && referencesOf(record, attributes), [record, attributes]);
  const names = useNames(browser, game, ids, key, true);
  return useMemo(() => {
    if (record === undefined || attributes === undefined || names === undefined) return undefined;
    return viewRecord(record, {
      ...{ game, attributes, reader: { locale, lang: '' } },
      nameOf: (collection, id) => names.get(nameKey(collection, id))?.name,
      effectOf: (collection, id) => names.get(nameKey(collection, id))?.effect,
    });
  }, [record, attributes, names, locale]);
}

/** Says which build a record is shown of: one line for visitors and for keys, so that nothing moves when one replaces the other. */
export function ShownBuild({
  build,
  isNewer = false,
}: {
  build: string | undefined;
  isNewer?: boolean;
}): JSX.Element {
  return (
    <p class="small muted">
      As build {build} has it{isNewer && ', which your key sees'}.
    </p>
  );
}

function purposeOf({ isShown, isSample }: NewerRecordData): string {
  if (isSample)
    return isShown ? 'This is one of the sample. The others need a key.' : 'This record needs a key.';
  return isShown
    ? 'This page shows what a free key sees. With a Pro key it shows builds from their release on.'
    : 'A Pro key sees builds from their release on.';
}

/** What stands in the place of the history for other keys. */
function HistoryForPro() {
  return (
    <section id="history">
      <h2>History</h2>
      <p>
        With Pro, this shows what each build changed, and plots of the stats over builds.{' '}
        <a href="/#plans">What Pro has</a>
      </p>
    </section>
  );
}
