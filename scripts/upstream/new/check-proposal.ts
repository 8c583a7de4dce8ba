import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addBuild } from '../add/add-build.ts';
import type { Finding } from '../../findings.ts';
import { REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { compileGame } from '../../compile/game.ts';
import { makeFolder } from '../../system.ts';
import { type Draft, renderDraft } from './propose.ts';

const MAX_ROUNDS = 8;

/** Checks a draft on its dump as `gamedata check` does, and leaves out attributes and datasets with an error. Returns lines for people. */
export async function checkProposal(draft: Draft, dump: string): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-new-'));
  const game = path.posix.join(folder, 'game');
  const leftOut: string[] = [];
  try {
    await makeFolder(game);
    await writeFile(path.join(game, 'game.json'), renderDraft(draft));
    const time = '2000-01-01T00:00:00Z';
    const wanted = { game, build: '1', into: draft.into, released_at: time, note: undefined };
    const { dump: listed } = await addBuild(dump, { ...wanted, into: draft.into, partial: false, now: time });
    for (const key of REQUIRED_DATASETS)
      if (draft.into !== '' || !listed.files.some(({ path: file }) => file.startsWith(`${key}.`)))
        await writeFile(path.join(game, '1', `${key}.json`), '{"unknown": true}');
    for (let round = 0; ; round++) {
      await writeFile(path.join(game, 'game.json'), renderDraft(draft));
      const { findings } = await compileGame(game, 'game');
      const errors = findings.filter(({ severity }) => severity === 'error');
      const notes =
        round === MAX_ROUNDS ? [] : [...new Set(errors.flatMap((error) => leaveOut(draft, error)))];
      leftOut.push(...notes);
      if (notes.length === 0)
        return [
          ...describe('left out, because gamedata check found an error there', leftOut),
          ...describeErrors(errors),
        ];
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function describeErrors(errors: readonly Finding[]): string[] {
  if (errors.length === 0) return ['gamedata check finds no error in the proposal'];
  const lines = errors.map(({ check, found, expected }) => `${found}; expected ${expected} (${check})`);
  return describe(
    'gamedata check still finds errors in the proposal; correct them after gamedata add',
    lines,
  );
}

function describe(title: string, lines: readonly string[]): string[] {
  const more = lines.length > 10 ? [`  and ${lines.length - 10} more`] : [];
  return lines.length === 0 ? [] : [`${title}:`, ...lines.slice(0, 10).map((line) => `  ${line}`), ...more];
}

/** Takes out of a draft what an error is about. Returns what was taken out. */
function leaveOut(draft: Draft, { check, place, fix = '', found, expected }: Finding): string[] {
  const text = `${place.pointer} ${fix} ${found} ${expected}`;
  const names = [...text.matchAll(/\/datasets\/(\w+)|\/(roster)\/| of ([a-z]\w*)/g)].flatMap((match) =>
    match.slice(1).filter(Boolean),
  );
  const parts = [...(draft.roster ? [['roster', draft.roster] as const] : []), ...draft.datasets];
  const exact = parts.filter(
    ([name]) => names.includes(name) || (name === 'roster' && names.includes('characters')),
  );
  const isRead = (name: string) =>
    draft.tables.some((table) => table.name === name && place.file.endsWith(table.files));
  const about =
    exact.length > 0 ? exact : parts.filter(([, rows]) => isRead(rows.table.name) || check === 'table-key');
  const [, attribute] = /at "\/([^"/]+)|texts? [^"]*"([^"./]+)"/.exec(found)?.filter(Boolean) ?? [];
  return about.map(([key, rows]) => {
    const why = `${found} (${check})`;
    const hasName = `$exists(${rows.attributes.get('name')})`;
    const isStats = attribute === 'stats' && rows.stats.size > 0;
    if (isStats) rows.stats.clear();
    const isOwn = attribute !== undefined && attribute !== 'id' && attribute !== 'name';
    if (isStats || (isOwn && rows.attributes.delete(attribute))) return `${key}.${attribute}: ${why}`;
    if (key === 'roster' && check === 'character-schema' && !rows.where.includes(hasName)) {
      rows.where.push(hasName);
      return `records without a name: ${why}`;
    }
    // A table cannot be keyed as a look-up needs.
    const joined = [...rows.attributes].filter(
      ([own, of]) => own !== 'id' && own !== 'name' && of.includes('$get($tables.'),
    );
    if (check === 'table-key' && (joined.length > 0 || rows.joined !== undefined)) {
      for (const [own] of joined) rows.attributes.delete(own);
      if (rows.joined !== undefined) rows.stats.clear();
      rows.joined = undefined;
      return `${key}: what is looked up in other tables: ${why}`;
    }
    if (key === 'roster') draft.roster = undefined;
    else draft.datasets.delete(key);
    return `${key}: ${why}`;
  });
}
