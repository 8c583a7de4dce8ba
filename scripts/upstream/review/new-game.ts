import path from 'node:path';
import type { Finding } from '../../findings/findings.ts';
import type { Steps } from '../../findings/steps.ts';
import type { Json } from '../../format/dist-format.ts';
import { readGameFile } from '../../read/game/read-game.ts';
import { type ComparedProposal, compareProposal } from '../propose/compare-proposal.ts';
import { type RawSource, sourceOf } from '../pull/source-definition.ts';
import { type TracedCollection, traceRecords } from '../try/trace-records.ts';
import { readBuildTables } from '../try/try-expression.ts';
import { findOrigins, findRecordOrigins, type RecordOrigins, type ValueOrigin } from './origin-of-values.ts';

/** What a worker needs to describe a new game. */
export interface NewGameTask {
  newGame: { data: string; slug: string; upstream?: string };
}

/** A record beside the raw rows that it comes from. */
export interface DescribedRecord extends RecordOrigins {
  /** As JSON, of limited length. */
  record: string;
  rows: { place: string; text: string }[];
}

/** Some records of a collection, and where their values come from. */
export interface DescribedCollection {
  list: string;
  from: string | undefined;
  count: number;
  origins: ValueOrigin[];
  records: DescribedRecord[];
}

/** What the owner of a project needs to know of a game that it does not have yet. */
export interface NewGame {
  /** Where its data comes from, as it says. */
  source: { kind: string; address: string; licence: string | undefined }[];
  /** Undefined if nothing can be proposed for its files. */
  proposal: ComparedProposal | undefined;
  collections: DescribedCollection[];
}

/** So many records of each collection are shown. */
const RECORDS = 10;
const MAX_RECORD_CHARACTERS = 4000;
/** Further values of a record are not compared one by one. */
const MAX_VALUES = 60;

/** Describes the newest build of a game, for its review. It is made in a worker: mappings and files come from strangers. */
export async function describeNewGame({ newGame }: NewGameTask, steps: Steps): Promise<NewGame> {
  const { data, slug } = newGame;
  const { game, tables } = await readBuildTables(newGame, steps, () => {});
  const traced = await traceRecords(game, tables, RECORDS, steps);
  const folder = path.posix.join(data, slug);
  const findings: Finding[] = [];
  const raw = await readGameFile(folder, findings);
  return {
    source: describeSource(raw && sourceOf(raw)),
    proposal: await compareProposal(folder, tables.source.definition),
    collections: traced.map(describeCollection),
  };
}

function describeCollection({ list, from, count, records }: TracedCollection): DescribedCollection {
  const origins = findOrigins(records);
  return {
    ...{ list, from, count },
    origins: from === undefined ? [] : origins,
    records: records.map((each) => {
      const { title, place, values, others } = findRecordOrigins(each, origins);
      return {
        ...{ title, place, values: values.slice(0, MAX_VALUES), others: others.slice(0, MAX_VALUES) },
        record: cutJson(each.record),
        rows: each.rows.map((row) => ({ place: row.place, text: cutJson(row.value) })),
      };
    }),
  };
}

function cutJson(value: Json): string {
  const text = JSON.stringify(value, null, 1);
  return text.length > MAX_RECORD_CHARACTERS ? `${text.slice(0, MAX_RECORD_CHARACTERS)}…` : text;
}

function describeSource(source: RawSource | undefined): NewGame['source'] {
  if (source === undefined) return [];
  const { git, archive, npm, files = {}, others = [], licence } = source;
  const named = { git, archive, npm };
  const addresses = Object.entries(named).flatMap(([kind, address]) =>
    address === undefined ? [] : [{ kind, address, licence }],
  );
  return [
    ...addresses,
    ...Object.keys(files).map((address) => ({ kind: 'files', address, licence })),
    ...others.map((other) => ({ kind: 'git', address: other.git, licence: undefined })),
  ];
}
