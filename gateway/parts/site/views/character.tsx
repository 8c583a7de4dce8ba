import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { JsonObject } from '../../../../scripts/core/format/json.ts';
import type { Reader } from '../model/format-value.ts';
import { inLanguage } from '../model/in-language.ts';
import type { CharacterData } from '../model/page-data.ts';
import { hasAccountCaps } from '../model/quota.ts';
import { viewRecord } from '../model/record-view.ts';
import type { Browser } from './browser.ts';
import { History } from './history.tsx';
import { KeyBox } from './key-box.tsx';
import { LanguagePicker } from './language-picker.tsx';
import { RecordSections, SectionLinks } from './record-sections.tsx';
import { ReplyProblem } from './reply-state.tsx';
import { RequestBox } from './request-box.tsx';
import { useKey, useLastStep, useLocale, useReply } from './use-reply.ts';

/** Properties of `Character`. */
export interface CharacterProps {
  data: CharacterData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

const SAMPLE_PURPOSE = 'This is one of the sample characters. The others need a key.';

/** The page of a character. Without a key it shows those of the sample only. */
export function Character({ data, browser }: CharacterProps): JSX.Element {
  const { game } = data;
  const id = useLastStep(browser, data.id);
  const [key, keepKey] = useKey(browser);
  const [lang, setLang] = useState('');
  const path = `/api/${game.slug}/characters/${encodeURIComponent(id)}`;
  const query = lang === '' ? '' : `lang=${lang}`;
  const asked = useReply(browser, id === '' ? undefined : addQuery(path, query), key);
  const record =
    (asked.reply?.body as JsonObject | undefined) ?? (data.record && inLanguage(data.record, lang));
  const reader: Reader = { locale: useLocale(browser), lang };
  const attributes = useMemo(
    () => new Map(game.attributes.map((attribute) => [attribute.key, attribute])),
    [game.attributes],
  );
  const sections = useMemo(
    () => (record ? viewRecord(record, { game: game.slug, attributes, reader }) : []),
    [record, attributes, reader.locale, lang],
  );
  const remaining = asked.reply?.remaining ?? [];
  const isPro = asked.reply?.status === 200 && !hasAccountCaps(remaining);
  return (
    <div class="character" aria-busy={asked.isLoading}>
      <Heading {...{ game, id, record }} />
      <KeyBox
        purpose={record ? SAMPLE_PURPOSE : 'This character needs a key.'}
        hasKey={key !== undefined && asked.reply?.status !== 401}
        problem={asked.reply?.status === 401 ? asked.reply.problem : undefined}
        onKey={browser && keepKey}
      />
      <ReplyProblem asked={asked} />
      {record && (
        <div class="tools">
          <LanguagePicker codes={game.languages} chosen={lang} locale={reader.locale} onChoose={setLang} />
          <a class="button quiet" href={`/games/${game.slug}/compare?ids=${encodeURIComponent(id)}`}>
            Compare
          </a>
        </div>
      )}
      <SectionLinks sections={sections} />
      <RecordSections sections={sections} browser={browser} locale={reader.locale} />
      {record && browser && key !== undefined && isPro && (
        <History {...{ id, record, attributes, reader, browser }} game={game.slug} apiKey={key} />
      )}
      {!isPro && record && <HistoryForPro />}
      <RequestBox
        request={{ origin: browser?.origin ?? '', path, query }}
        remaining={remaining}
        copy={browser && ((text) => browser.copy(text))}
      />
    </div>
  );
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

function addQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

function Heading({ game, id, record }: CharacterData) {
  const name = typeof record?.name === 'string' ? record.name : undefined;
  const others = Object.entries(record ?? {}).filter(
    ([key, value]) => key.startsWith('name_') && value !== name,
  );
  return (
    <>
      <p class="crumbs">
        <a href="/games">Games</a> / <a href={`/games/${game.slug}`}>{game.title}</a> /{' '}
        <a href={`/games/${game.slug}/explore`}>Characters</a>
      </p>
      <h1>{name ?? `Character ${id}`.trim()}</h1>
      {others.length > 0 && (
        <p class="other-names muted">
          {others.map(([key, value], at) => (
            <span key={key}>
              {at > 0 && ' · '}
              <span lang={key.slice('name_'.length).replaceAll('_', '-')}>{String(value)}</span>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
