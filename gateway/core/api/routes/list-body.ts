import type { GameBuild } from '../../catalog/game-build.ts';
import { Draft } from '../../bytes/draft.ts';
import { getLoaded } from '../../lib/part.ts';
import { countWork, WORK } from '../../lib/work.ts';
import type { Collection } from '../../query/collection.ts';
import { refuseUnknown } from '../../query/filters.ts';
import { type ListQuery, parseListQuery } from '../../query/list-query.ts';
import { selectRows } from '../../query/select-rows.ts';
import type { Body } from '../../wire/respond.ts';
import { MEANT_VALUES } from '../ports.ts';
import { type Addressed, pageLinks } from './page-links.ts';
import { writeRecord } from './record-body.ts';
import type { ApiRequest } from './route.ts';
import { isLong, writeInSlices, writeJoined, writeRecords } from './write-joined.ts';

const END = Buffer.from(']}');

/** Reads the query of a list, and refuses unknown values of closed attributes. @param collection `characters` or the key of a dataset */
export function readListQuery(
  { query }: Pick<ApiRequest, 'query'>,
  { dictionary, languages }: GameBuild,
  [collection, list]: [collection: string, list: Collection],
  defaultLimit?: number,
): ListQuery {
  const read = parseListQuery(query, list, defaultLimit, languages);
  if (read.hasUnknown)
    refuseUnknown(
      read,
      () => dictionary.describe(collection, () => list).attributes,
      getLoaded(MEANT_VALUES)?.findMeant,
    );
  return read;
}

/**
 * Puts a page of a list together: an envelope, and the bytes of the records or of their chosen attributes.
 *
 * @param opening the envelope's first members, as JSON, without the closing brace
 * @param recordsKey the envelope's last member, which holds the records
 */
export function listBody(
  request: Addressed,
  list: Collection,
  query: ListQuery,
  opening: string,
  recordsKey: string,
): Body | Promise<Body<Buffer>> {
  const { total, rows } = selectRows(list, query);
  const { limit = null, offset, sortName, ids, projection, translation } = query;
  const missing = ids ? `,"missing":${JSON.stringify(ids.missing)}` : '';
  const meant = total === 0 ? getLoaded(MEANT_VALUES)?.findMeant(query) : undefined;
  const hint = meant ? `,"did_you_mean":${JSON.stringify(meant)}` : '';
  const sort = JSON.stringify(sortName);
  const page = `"total":${total},"count":${rows.length},"limit":${limit},"offset":${offset},"sort":${sort}${missing}${hint}`;
  const head = `${opening},${page},"${recordsKey}":[`;
  const links = pageLinks(request, total, rows.length, offset, limit);
  if (projection || translation) countWork(WORK.written * rows.length);
  if (isLong(rows.length)) {
    const whole = writeInSlices({ opening: head, rows, end: END }, recordWriter(list, query));
    return whole.then((json) => ({ json, links }));
  }
  const draft = new Draft();
  draft.writeText(head);
  if (projection) {
    writeJoined(draft, rows, (row) => writeRecord(draft, projection, row));
  } else if (translation) writeJoined(draft, rows, (row) => translation.writeRecord(draft, row));
  else writeRecords(draft, list.records, rows);
  draft.write(END);
  return { json: draft.bytes(), links };
}

/** Returns what writes the record of a row as a request wants it. */
export function recordWriter(
  list: Collection,
  { projection, translation }: ListQuery,
): (draft: Draft, row: number) => void {
  if (projection) return (draft, row) => writeRecord(draft, projection, row);
  if (translation) return (draft, row) => translation.writeRecord(draft, row);
  const { records } = list;
  return (draft, row) => draft.write(records[row] as Buffer);
}
