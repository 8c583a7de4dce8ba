import type { JSX } from 'preact';
import type { Attribute } from '../../../../scripts/core/format/attributes.ts';
import type { GameBuild } from '../../../core/catalog/game-build.ts';
import { Count, formatNumber } from '../layout/format.tsx';
import { Scroll } from '../layout/scroll.tsx';
import { valueAt } from '../model/facets.ts';
import type { Sample } from '../sample.ts';

const MAX_COLUMNS = 6;
const MAX_TEXT = 40;
/** What says least about a character, so that its column comes last or is left out. */
const DULL = /^(id|key|code|image|icon|version|name_)/;

/** The fixed sample of a game's characters: its first ten. */
export function SampleTable({ sample, game }: { sample: Sample; game: GameBuild }): JSX.Element {
  const { attributes } = game.dictionary.describe('characters', () => game.roster);
  const columns = chooseColumns(attributes, sample);
  return (
    <>
      <p>
        The first {sample.count} of <Count value={sample.total} />. With <a href="/#key">a free key</a>, you{' '}
        <a href={`/games/${game.slug}/explore`}>explore all of them</a> as a table.
      </p>
      <Scroll label="Sample of the characters">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              {columns.map(({ key, label, type }) => (
                <th key={key} scope="col" class={isNumber(type) ? 'number' : undefined}>
                  {label ?? key}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sample.characters.map((character) => (
              <tr key={String(character.id)}>
                <th scope="row">
                  <a href={`/games/${game.slug}/characters/${encodeURIComponent(String(character.id))}`}>
                    {String(character.name ?? character.id)}
                  </a>
                </th>
                {columns.map(({ key, type }) => (
                  <td key={key} class={isNumber(type) ? 'number' : undefined}>
                    <Value value={valueAt(character, key)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

/** Chooses attributes that most characters of the sample have, in the dictionary's order. */
function chooseColumns(attributes: readonly Attribute[], { characters }: Sample): Attribute[] {
  const shown = attributes.filter(
    ({ key, type }) =>
      type !== undefined &&
      type !== 'object' &&
      type !== 'any' &&
      !/^name$/.test(key) &&
      !DULL.test(key) &&
      characters.filter((character) => describe(valueAt(character, key)) !== '').length >
        characters.length / 2 &&
      characters.every((character) => describe(valueAt(character, key)).length <= MAX_TEXT),
  );
  return shown.slice(0, MAX_COLUMNS);
}

function isNumber(type: Attribute['type']): boolean {
  return type === 'number' || type === 'integer';
}

function Value({ value }: { value: unknown }): JSX.Element | string {
  return typeof value === 'number' ? <Count value={value} /> : describe(value);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.map(describe).join(', ');
  return typeof value === 'object' ? '…' : String(value);
}
