import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findTables } from '../dump/find-tables.ts';
import { listDump } from '../dump/list-files.ts';
import { readValues } from '../dump/read-values.ts';
import type { Finding } from '../../findings/findings.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import type { GameDefinition } from '../../read/game/definition.ts';
import { readBuilds, readGameFile } from '../../read/game/read-game.ts';
import { findPresentFiles, readPathsOf } from '../add/present-files.ts';
import { rankRosters } from './choose-roster.ts';
import { languageOf } from './languages.ts';
import { type Draft, proposeDraft } from './propose-definition.ts';
import { TextSources } from './text-sources.ts';

/** What `gamedata new` would propose for the files of a game, beside what its game.json says. */
export interface ComparedProposal {
  /** The table of the roster, and the one that would be proposed; undefined for none. */
  roster: { written: string | undefined; proposed: string | undefined };
  /** The attributes of the roster that are as proposed, and those that would be proposed and are not there in this form. */
  same: string[];
  different: { attribute: string; proposed: string }[];
  /** The same of datasets, by their keys. */
  datasets: { same: string[]; changed: string[]; written: string[] };
}

/**
 * Proposes a mapping for the files of a game's newest build again, and compares it with the mapping that the game has.
 *
 * @param folder the game's folder
 * @param definition that of its newest build
 */
export async function compareProposal(
  folder: string,
  definition: GameDefinition,
): Promise<ComparedProposal | undefined> {
  const draft = await proposeAgain(folder);
  if (draft === undefined) return undefined;
  const { roster, datasets } = definition;
  const written = textOf([roster?.entry.text, roster?.record?.text]);
  const proposed = draft.roster ? [...draft.roster.attributes, ...draft.roster.stats.map(asStat)] : [];
  const isWritten = ([name, expression]: readonly [string, string]) => has(written, name, expression);
  const keys = datasets.map(({ key }) => key);
  const sameDataset = (key: string) => {
    const dataset = datasets.find((each) => each.key === key);
    const text =
      dataset === undefined ? '' : textOf([('entry' in dataset ? dataset.entry : dataset.expression).text]);
    return (draft.datasets.get(key)?.attributes ?? []).every(([name, expression]) =>
      has(text, name, expression),
    );
  };
  const both = keys.filter((key) => draft.datasets.has(key));
  return {
    roster: { written: roster?.from.tables.join(', '), proposed: draft.roster?.table.name },
    same: proposed.filter(isWritten).map(([name]) => name),
    different: proposed
      .filter((each) => !isWritten(each))
      .map(([attribute, expression]) => ({ attribute, proposed: expression })),
    datasets: {
      same: both.filter(sameDataset),
      changed: both.filter((key) => !sameDataset(key)),
      written: keys.filter((key) => !draft.datasets.has(key)),
    },
  };
}

function asStat([name, expression]: [string, string]): [string, string] {
  return [`stats.${name}`, expression];
}

/** Expressions without spaces, and with one kind of quotes. */
function textOf(texts: readonly (string | undefined)[]): string {
  return texts.map((text = '') => text.replace(/\s+/g, '').replaceAll('"', "'")).join('\n');
}

function has(written: string, attribute: string, expression: string): boolean {
  const name = attribute.replace(/^stats\./, '');
  const text = textOf([`'${name}': ${expression}`]);
  return [',', '}'].some((end) => written.includes(`${text}${end}`));
}

async function proposeAgain(game: string): Promise<Draft | undefined> {
  const findings: Finding[] = [];
  const raw = await readGameFile(game, findings);
  if (raw === undefined) return undefined;
  const builds = await readBuilds(game, raw, findings);
  const paths = readPathsOf(raw);
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-review-'));
  try {
    for (const [file, { path: from }] of findPresentFiles(builds, paths).value) {
      if (!paths.comesWithDump(file)) continue;
      await makeFolder(path.dirname(path.join(folder, file)));
      // A file that is named by reference need not be there: its table is not proposed then.
      await copyFile(from, path.join(folder, file)).catch(() => {});
    }
    const tables = findTables(
      await readValues(await listDump(folder)),
      (stem) => languageOf(stem) !== undefined,
    );
    if (tables.length === 0) return undefined;
    const sources = new TextSources(tables);
    return proposeDraft(raw.title, tables, rankRosters(tables, sources)[0], sources);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
