import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Finding } from '../../findings/findings.ts';
import { REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { compileGame } from '../../game/compile-game.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { matchPattern } from '../../read/match-pattern.ts';
import { addBuild } from '../add/add-build.ts';
import type { Draft } from './propose-definition.ts';
import type { ProposedRows } from './proposed-rows.ts';

/** What was left out of a proposal, because check found errors in it. */
export interface Mended {
  /** For people, one line each. */
  leftOut: string[];
  /** The errors that are still there. */
  errors: Finding[];
}

const MAX_ROUNDS = 8;
const BUILD = '1';

/**
 * Checks a proposal on the dump that it is for, as `gamedata check` does, and changes the draft until there is no error: attributes with an error
 * are left out, or else their dataset, or the roster.
 *
 * @param render writes the draft as game.json
 */
export async function mendProposal(
  draft: Draft,
  dump: string,
  render: (draft: Draft) => string,
): Promise<Mended> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-new-'));
  const game = path.posix.join(folder, 'game');
  const leftOut: string[] = [];
  const unplaced = (error: Finding): Finding => ({
    ...error,
    ...(error.fix !== undefined && { fix: error.fix.replaceAll(path.posix.join(game, BUILD), '<build>') }),
  });
  try {
    await makeFolder(game);
    await writeFile(path.join(game, 'game.json'), render(draft));
    const time = '2000-01-01T00:00:00Z';
    const { into } = draft;
    const wanted = { game, build: BUILD, into, released_at: time, note: undefined };
    const { dump: listed } = await addBuild(dump, wanted, { into, partial: false }, time);
    for (const key of REQUIRED_DATASETS)
      if (into !== '' || !listed.files.some(({ path: file }) => file.startsWith(`${key}.`)))
        await writeFile(path.join(game, BUILD, `${key}.json`), '{"unknown": true}');
    for (let round = 0; ; round++) {
      await writeFile(path.join(game, 'game.json'), render(draft));
      const { findings } = await compileGame(game, 'game');
      const errors = findings.filter(({ severity }) => severity === 'error');
      if (errors.length === 0 || round === MAX_ROUNDS) return { leftOut, errors: errors.map(unplaced) };
      const notes = mend(draft, errors, path.posix.join(game, BUILD, into));
      if (notes.length === 0) notes.push(...leaveOutDatasets(draft, errors));
      if (notes.length === 0) return { leftOut, errors: errors.map(unplaced) };
      leftOut.push(...notes);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A part of a draft: the roster, or a dataset by its key. */
type Part = [name: string, rows: ProposedRows];

/** Leaves all datasets out, if errors are not about a part that is known. */
function leaveOutDatasets(draft: Draft, errors: readonly Finding[]): string[] {
  if (draft.datasets.size === 0) return [];
  draft.datasets.clear();
  return [`all datasets: ${errors.map(({ found, check }) => `${found} (${check})`).join('; ')}`];
}

/** Takes out of a draft what errors are about; returns what was taken out. */
function mend(draft: Draft, errors: readonly Finding[], build: string): string[] {
  const notes: string[] = [];
  const done = new Set<string>();
  for (const error of errors) {
    const parts = partsOf(draft, error, build);
    const why = `${error.found} (${error.check})`;
    const [, pointer] =
      /at "\/([^"]+)" of the|texts of "([^"]+)" of|texts .* in "([^".]+)[^"]*".* of/
        .exec(error.found)
        ?.filter(Boolean) ?? [];
    for (const [name, rows] of parts) {
      const taken = takeOut(rows, name, error, pointer?.split('/')[0]);
      const leftOut = taken === undefined ? name : `${name}.${taken}`;
      if (done.has(name) || done.has(leftOut)) continue;
      done.add(leftOut);
      if (taken === undefined) remove(draft, name);
      notes.push(`${leftOut}: ${why}`);
    }
  }
  return notes;
}

/** @returns what was taken out; undefined if the whole part has to be */
function takeOut(
  rows: ProposedRows,
  part: string,
  error: Finding,
  attribute: string | undefined,
): string | undefined {
  const name = rows.attributes.find(([own]) => own === 'name')?.[1];
  const condition = `$exists(${name})`;
  if (part === 'roster' && error.check === 'character-schema' && !rows.where.includes(condition)) {
    if (!/name/.test(error.found) || name === undefined) return undefined;
    rows.where.push(condition);
    return 'records without a name';
  }
  if (attribute !== undefined && attribute !== 'id' && attribute !== 'name') {
    const before = rows.attributes.length + rows.stats.length;
    rows.attributes = rows.attributes.filter(([own]) => own !== attribute);
    if (attribute === 'stats') rows.stats = [];
    return rows.attributes.length + rows.stats.length < before ? attribute : undefined;
  }
  return error.check === 'table-key' ? takeOutJoins(rows) : undefined;
}

/** Takes out what is looked up in tables by a key. */
function takeOutJoins(rows: ProposedRows): string | undefined {
  const isJoined = (expression: string) => /\$tables\.\w+,/.test(expression);
  const joined = rows.attributes.filter(
    ([own, expression]) => own !== 'id' && own !== 'name' && isJoined(expression),
  );
  if (joined.length === 0) return undefined;
  rows.attributes = rows.attributes.filter((each) => !joined.includes(each));
  return joined.map(([own]) => own).join(', ');
}

function remove(draft: Draft, name: string): void {
  if (name === 'roster') draft.roster = undefined;
  else draft.datasets.delete(name);
}

/** The parts that an error is about: those that it names, or else those of its file; for the key of a table, all that look something up in it. */
function partsOf(draft: Draft, { check, place, fix = '', found, expected }: Finding, build: string): Part[] {
  const all: Part[] = [...(draft.roster ? [['roster', draft.roster] as Part] : []), ...draft.datasets];
  const [, said] = /\/(roster|datasets\/\w+)\/(?:entry|where|record)/.exec(`${place.pointer} ${fix}`) ?? [];
  const lists = [...`${found} ${expected}`.matchAll(/ of ([a-z]\w*)/g)].map(([, list]) => list);
  const names = [
    said?.replace('datasets/', ''),
    ...lists.map((list) => (list === 'characters' ? 'roster' : list)),
  ];
  const exact = all.filter(([name]) => names.includes(name));
  if (exact.length > 0) return exact;
  const file = place.file.startsWith(`${build}/`) ? place.file.slice(build.length + 1) : undefined;
  if (file === undefined) return [];
  const tables = draft.tables.filter(({ files }) => files === file || matchPattern(files)(file));
  const isOf = ({ table, attributes, joined }: ProposedRows) =>
    tables.some(
      ({ name }) =>
        table.name === name ||
        table.member?.of === name ||
        (check === 'table-key' &&
          [...attributes.map(([, expression]) => expression), joined ?? ''].some((each) =>
            each.includes(`$tables.${name},`),
          )),
    );
  return all.filter(([, rows]) => isOf(rows));
}
