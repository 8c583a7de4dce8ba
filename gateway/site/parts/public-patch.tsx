import type { JSX } from 'preact';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import { CHARACTERS, type GameBuild } from '../../data/game-build.ts';
import { listModelOf, listOf } from '../game-data.ts';
import { summarizeChanges } from '../model/changes.ts';
import { type PatchPart, type PatchRecord, PUBLIC_PATCH } from '../model/patch-notes.ts';
import type { Audience } from '../pictures.ts';
import { READER } from '../record-facts.ts';
import { linkOf, type RecordLink } from '../record-links.ts';
import { RecordLinks } from './record-links.tsx';

/** How many records of characters, and of each dataset, are shown. */
const MAX_RECORDS = { characters: 80, dataset: 24 };
/** How many attributes of a record are named. */
const MAX_ATTRIBUTES = 6;

/** What a build changed, as all may see it: which records, which attributes, and in which direction. The values are Pro's. */
export function PublicPatch({
  parts,
  ...props
}: {
  game: GameBuild;
  audience: Audience;
  parts: readonly PatchPart[];
}): JSX.Element {
  return (
    <div id={PUBLIC_PATCH}>
      {parts
        .filter((part) => !isOfData(part))
        .map((part) => (
          <Part key={part.key} part={part} {...props} />
        ))}
      <OfData parts={parts.filter(isOfData)} />
    </div>
  );
}

/** Whether the game changed nothing of a collection: the build only serves more of it, or less. */
function isOfData({ added, removed, changed, changes }: PatchPart): boolean {
  return added.length + removed.length + changed.length + changes.length === 0;
}

function OfData({ parts }: { parts: readonly PatchPart[] }): JSX.Element | null {
  if (parts.length === 0) return null;
  return (
    <section class="record-section" aria-labelledby="of-data">
      <h2 id="of-data">Changes of the data, not of the game</h2>
      <ul>
        {parts.map(({ key, title, summary }) => (
          <li key={key}>
            {title}: {summary}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Part({
  game,
  audience,
  part,
}: {
  game: GameBuild;
  audience: Audience;
  part: PatchPart;
}): JSX.Element {
  const { key, title, summary, added, removed, changed, changes } = part;
  const list = listOf(game, key);
  const model = list && listModelOf(game, key, list, audience);
  const most = key === CHARACTERS ? MAX_RECORDS.characters : MAX_RECORDS.dataset;
  const byKey: ReadonlyMap<string, Attribute> = model?.known ?? new Map();
  const find = ({ id }: PatchRecord): RecordLink | undefined => {
    const row = list?.rowOfId?.get(id);
    return model === undefined || row === undefined ? undefined : linkOf(game, model, row);
  };
  const links = added.flatMap((record) => find(record) ?? []);
  const groups: Group[] = key === CHARACTERS ? links : groupByName(links);
  const tiles = groups.slice(0, most);
  const count = tiles.reduce((sum, { of = 1 }) => sum + of, 0);
  return (
    <section class="record-section" aria-labelledby={`in-${key}`}>
      <h2 id={`in-${key}`}>{title}</h2>
      <p class="muted">{summary}</p>
      {tiles.length > 0 && <RecordLinks links={tiles} />}
      <Left count={added.length - count} what="new" />
      {changes.length > 0 && <Directions {...{ changes, known: byKey }} />}
      {changed.length > 0 && (
        <ul class="changed-records compact">
          {changed.slice(0, most).map((record) => (
            <li key={record.id}>
              <Name record={record} href={find(record)?.href} />{' '}
              <Directions changes={record.changes} known={byKey} />
            </li>
          ))}
        </ul>
      )}
      <Left count={changed.length - most} what="changed" />
      {removed.length > 0 && (
        <p>
          <span class="badge badge-removed">Removed</span>{' '}
          {removed
            .slice(0, most)
            .map(({ id, name }) => name ?? id)
            .join(', ')}
        </p>
      )}
    </section>
  );
}

/** A link that may stand for several records. */
type Group = RecordLink & { of?: number };

/** Records of one name, such as a banner that returns, are one link, to the first, with their number. */
function groupByName(links: readonly RecordLink[]): Group[] {
  const groups = new Map<string, Group & { of: number }>();
  for (const link of links) {
    const group = groups.get(link.name);
    if (group) group.of++;
    else groups.set(link.name, { ...link, of: 1 });
  }
  return [...groups.values()].map((group) =>
    group.of === 1 ? group : { ...group, name: `${group.name} × ${group.of}` },
  );
}

function Name({ record: { id, name = id }, href }: { record: PatchRecord; href: string | undefined }) {
  return href === undefined ? <strong>{name}</strong> : <a href={href}>{name}</a>;
}

function Left({ count, what }: { count: number; what: string }): JSX.Element | null {
  return count > 0 ? (
    <p class="small muted">
      and {count} more {what}
    </p>
  ) : null;
}

const SIGNS = { up: ['▲', 'up'], down: ['▼', 'down'], both: ['▲▼', 'up and down'], none: ['', ''] } as const;

/** The attributes that changed, and whether they grew or fell. */
function Directions({
  changes,
  known,
}: {
  changes: PatchPart['changes'];
  known: ReadonlyMap<string, Attribute>;
}): JSX.Element {
  const all = summarizeChanges(changes, known, READER);
  const left = all.length - MAX_ATTRIBUTES;
  return (
    <span class="directions small">
      {all.slice(0, MAX_ATTRIBUTES).map(({ label, direction }) => {
        const [sign, words] = SIGNS[direction];
        return (
          <span key={label} class={`direction ${direction}`}>
            {label}
            {sign !== '' && (
              <>
                {' '}
                <span aria-hidden="true">{sign}</span>
                <span class="visually-hidden">{words}</span>
              </>
            )}
          </span>
        );
      })}
      {left > 0 && <span class="muted">and {left} more</span>}
    </span>
  );
}
