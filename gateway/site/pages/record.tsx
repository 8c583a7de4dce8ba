import type { JSX } from 'preact';
import { type JsonObject, parseRecord } from '../../../scripts/format/dist-format.ts';
import { CHARACTERS, type Dataset, type GameBuild } from '../../data/game-build.ts';
import { HttpProblem } from '../../http/problem.ts';
import { quote } from '../../http/suggest.ts';
import { describeAttributes } from '../../attributes/attributes-of.ts';
import { type ListModel, listModelOf, listOf, textIn } from '../game-data.ts';
import { Code } from '../layout/code.tsx';
import { Island } from '../layout/island.tsx';
import type { PageContent } from '../layout/page-content.ts';
import { nameOfRecord, wordsOf } from '../model/format-value.ts';
import { addressOf, listAddressOf, type ViewContext } from '../model/linked.ts';
import { inReadingOrder } from '../model/in-order.ts';
import type { NewerRecordData } from '../model/page-data.ts';
import { viewRecord } from '../model/record-view.ts';
import { Arrival } from '../parts/arrival.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { Pictures } from '../parts/pictures.tsx';
import { RecordLinks } from '../parts/record-links.tsx';
import { Chips, Neighbours, RecordHeading, UsedBy } from '../parts/record-parts.tsx';
import { chipsOf, describeRecord, namesOf, READER } from '../record-facts.ts';
import { findNear, findRelations } from '../record-links.ts';
import { SAMPLE_SIZE } from '../sample.ts';
import { gameOf, NearProblem, Redirect, type SitePage, type Visit } from '../site-page.ts';
import { NewerRecord, PUBLIC_RECORD, ShownBuild } from '../views/newer-record.tsx';
import { RecordSections, SectionLinks } from '../views/record-sections.tsx';

/** How much of an unknown id is shown, and looked for. */
const MAX_ID_CHARS = 64;

/** A record of a list. */
export const recordPage: SitePage = {
  path: '/games/:game/:dataset/:id',
  kind: 'record',
  relevantParams(visit) {
    const { slug } = gameOf(visit);
    const { dataset = '', id = '' } = visit.params;
    const isKept = !visit.services.isSample || isInSample(visit);
    return { game: slug, dataset, id: isKept ? id : '' };
  },
  make(visit) {
    const game = gameOf(visit);
    const { dataset: key = '', id = '' } = visit.params;
    const list = listOf(game, key);
    if (list?.rowOfId === undefined) throw noSuchList(game, key);
    const { isSample } = visit.services;
    const model = listModelOf(game, key, list, visit.services);
    if (isSample && id === '') return hiddenRecord(visit, game, model);
    const row = list.rowOfId.get(id);
    const current = row === undefined ? game.currentIds.get(key)?.get(id) : undefined;
    if (current !== undefined && list.rowOfId.has(current))
      throw new Redirect(addressOf(game.slug, key, current));
    return row === undefined
      ? unknownRecord(game, model, id, visit.isSpare)
      : shownRecord(visit, game, model, row);
  },
};

/** Without a key, of a sample only the first characters are shown; all else has one page, so that it does not show what exists. */
function isInSample(visit: Omit<Visit, 'query'>): boolean {
  const { roster } = gameOf(visit);
  const row = roster.rowOfId?.get(visit.params.id ?? '');
  return visit.params.dataset === CHARACTERS && row !== undefined && row < SAMPLE_SIZE;
}

function noSuchList({ slug, title }: GameBuild, key: string): HttpProblem {
  return new NearProblem('unknown-dataset', `${title} has no list ${quote(key)} whose records have pages`, [
    { href: `/games/${slug}`, name: title },
  ]);
}

function shownRecord(visit: Visit, game: GameBuild, model: ListModel, row: number): PageContent {
  const { key, list } = model;
  const record: JsonObject = JSON.parse(String(list.fullRecords[row]));
  const id = String(record.id);
  const name = nameOfRecord(record);
  const { isSample } = visit.services;
  const sections = viewRecord(record, contextOf(game, model, isSample));
  const relations = isSample ? [] : findRelations(game, visit.services, key, id);
  const chips = chipsOf(game, model, record);
  const path = addressOf(game.slug, key, id);
  const description = describeRecord(name, game, model, record, chips);
  return {
    title: `${name}, ${game.title}`,
    description,
    subject: subjectOf(game, record, name, description),
    path,
    width: 'wide',
    islands: ['record'],
    body: (
      <div class="record">
        <Arrival game={game} />
        <RecordHeading {...{ game, model, record, name }} />
        <Chips chips={chips} />
        {key === CHARACTERS && (
          <p class="actions">
            <a class="button quiet" href={`/games/${game.slug}/compare?ids=${encodeURIComponent(id)}`}>
              Compare with others
            </a>
          </p>
        )}
        <SectionLinks
          sections={sections}
          further={[
            ...(relations.length > 0 ? [['used-by', 'Used by'] as const] : []),
            ['request', 'API'] as const,
          ]}
        />
        <div id={PUBLIC_RECORD}>
          <ShownBuild build={game.build} />
          <RecordSections sections={sections} browser={undefined} locale={READER.locale} />
        </div>
        <Pictures {...{ game, model, record }} />
        <UsedBy relations={relations} />
        <Neighbours {...{ game, model, row }} most={isSample ? SAMPLE_SIZE : list.count} />
        <NewerPart game={game} data={{ collection: key, id, isShown: true, isSample }} />
        <h2 id="request">This record in the API</h2>
        <Code
          text={`curl -g -H "X-API-Key: $KEY" '${visit.services.publicUrl()}/api/${game.slug}/${key}/${encodeURIComponent(id)}'`}
        />
      </div>
    ),
  };
}

/** With a sample, names of other records are not shown. */
function contextOf(game: GameBuild, { known }: ListModel, isSample: boolean): ViewContext {
  const context = { game: game.slug, attributes: known, reader: READER };
  if (isSample) return context;
  return {
    ...context,
    nameOf: (key, id) => textIn(game, key, id, 'name') ?? textIn(game, key, id, 'id'),
    effectOf: (key, id) => textIn(game, key, id, 'effect'),
  };
}

/** What a record is, for search engines. */
function subjectOf({ title }: GameBuild, record: JsonObject, name: string, description: string): JsonObject {
  return {
    ...{ '@context': 'https://schema.org', '@type': 'Thing', name, description },
    alternateName: namesOf(record).map(({ text }) => text),
    isPartOf: { '@type': 'VideoGame', name: title },
  };
}

function NewerPart({
  game: { slug, build },
  data,
}: {
  game: GameBuild;
  data: Omit<NewerRecordData, 'game' | 'build'>;
}): JSX.Element {
  return (
    <Island
      name="newer-record"
      component={NewerRecord}
      properties={{ data: { game: slug, build, ...data } }}
    />
  );
}

/** The page of a record that visitors do not see. */
function unknownRecord(game: GameBuild, model: ListModel, id: string, isSpare: boolean): PageContent {
  const { key, label } = model;
  const near = isSpare ? findNear(game, model, id.slice(0, MAX_ID_CHARS)) : [];
  const heading = `Not in ${label.toLowerCase()} of ${game.title}`;
  const code = key === CHARACTERS ? 'unknown-character' : 'unknown-record';
  return {
    title: heading,
    path: listAddressOf(game.slug, key),
    width: 'wide',
    islands: ['record'],
    problem: new HttpProblem(
      code,
      `${game.slug} has no record with the id ${quote(id)} in ${key}, or it is not public yet`,
    ),
    body: (
      <>
        <p class="kicker">Error 404</p>
        <h1>{heading}</h1>
        <p>
          No record has the id <code>{id.slice(0, MAX_ID_CHARS)}</code>, or it is not public yet.{' '}
          <a href={listAddressOf(game.slug, key)}>All {label.toLowerCase()}</a>
        </p>
        {near.length > 0 && (
          <>
            <h2>Did you mean</h2>
            <RecordLinks links={near} />
          </>
        )}
        <NewerPart game={game} data={{ collection: key, id, isShown: false, isSample: false }} />
      </>
    ),
  };
}

/** The page of all records that are not in a sample. */
function hiddenRecord({ view }: Visit, game: GameBuild, { key, label }: ListModel): PageContent {
  const heading = `${label} of ${game.title}`;
  return {
    title: heading,
    path: listAddressOf(game.slug, key),
    width: 'wide',
    islands: ['record'],
    body: (
      <>
        <GameHead view={view} game={game} current="explore" heading={heading} />
        <NewerPart game={game} data={{ collection: key, id: '', isShown: false, isSample: true }} />
      </>
    ),
  };
}

/** The page of a dataset that is one object. */
export function objectPage(
  { view, services }: Visit,
  game: GameBuild,
  { key, json }: Dataset & { kind: 'object' },
): PageContent {
  const label = wordsOf(key);
  const attributes = inReadingOrder(describeAttributes(game, key, () => game.roster).attributes);
  const byKey = new Map(attributes.map((attribute) => [attribute.key, attribute]));
  const context = { game: game.slug, attributes: byKey, reader: READER };
  const record = services.isSample ? {} : parseRecord(json);
  return {
    title: `${label} of ${game.title}`,
    description: `${label} of ${game.title}, as build ${game.build} has it.`,
    path: listAddressOf(game.slug, key),
    width: 'wide',
    islands: ['record'],
    body: (
      <>
        <GameHead view={view} game={game} current="explore" heading={`${label} of ${game.title}`} />
        {services.isSample && <p>This dataset needs a key.</p>}
        <RecordSections sections={viewRecord(record, context)} browser={undefined} locale={READER.locale} />
        <Code text={`curl -g -H "X-API-Key: $KEY" '${services.publicUrl()}/api/${game.slug}/${key}'`} />
      </>
    ),
  };
}
