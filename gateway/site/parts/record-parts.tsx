import type { JSX } from 'preact';
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type ListModel, nameAt, textAt } from '../game-data.ts';
import { addressOf, listAddressOf } from '../model/linked.ts';
import { tileOf } from '../model/tile.ts';
import { type Chip, namesOf } from '../record-facts.ts';
import type { Relation } from '../record-links.ts';
import { Tile } from '../views/tile.tsx';
import { RecordLinks } from './record-links.tsx';

/** What groups a record, each as a link to the others. */
export function Chips({ chips }: { chips: readonly Chip[] }): JSX.Element | null {
  if (chips.length === 0) return null;
  return (
    <ul class="chips">
      {chips.map(({ label, text, href }) => (
        <li key={label}>
          <a class="chip" href={href} rel="nofollow">
            <span class="muted">{label}</span> {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The name of a record in all languages, and where it is. */
export function RecordHeading({
  game,
  model: { key, label, tile },
  record,
  name,
}: {
  game: GameBuild;
  model: ListModel;
  record: JsonObject;
  name: string;
}): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href="/games">Games</a> / <a href={`/games/${game.slug}`}>{game.title}</a> /{' '}
        <a href={listAddressOf(game.slug, key)}>{label}</a>
      </p>
      <div class="game-title">
        <Tile tile={tileOf(record, tile)} size={64} />
        <h1>{name}</h1>
      </div>
      <p class="other-names muted">
        {namesOf(record).map(({ lang, text }, at) => (
          <span key={lang}>
            {at > 0 && ' · '}
            <span lang={lang}>{text}</span>
          </span>
        ))}
      </p>
    </>
  );
}

/** The records before and after it in its list. */
export function Neighbours({
  game,
  model: { key, list },
  row,
  most,
}: {
  game: GameBuild;
  model: ListModel;
  row: number;
  /** How many records of the list have pages. */
  most: number;
}): JSX.Element {
  const link = (at: number, word: string) => {
    const id = at < 0 || at >= most ? undefined : textAt(list, at, 'id');
    return (
      id !== undefined && (
        <a href={addressOf(game.slug, key, id)}>
          {word}: {nameAt(list, at)}
        </a>
      )
    );
  };
  return (
    <nav class="actions" aria-label="Neighbours">
      {link(row - 1, 'Previous')}
      {link(row + 1, 'Next')}
    </nav>
  );
}

/** What refers to a record. */
export function UsedBy({ relations }: { relations: readonly Relation[] }): JSX.Element | null {
  if (relations.length === 0) return null;
  return (
    <>
      <h2 id="used-by">Used by</h2>
      {relations.map(({ title, links, total, href }) => (
        <section key={href}>
          <h3>{title}</h3>
          <RecordLinks links={links} />
          {total > links.length && (
            <p>
              <a href={href} rel="nofollow">
                All {total} in {title}
              </a>
            </p>
          )}
        </section>
      ))}
    </>
  );
}
