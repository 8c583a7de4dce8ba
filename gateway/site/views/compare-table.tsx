import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Scroll } from '../layout/scroll.tsx';
import type { ComparedRow, ComparedSection } from '../model/compare-rows.ts';
import type { TileData } from '../model/tile.ts';
import { Tile } from './tile.tsx';

/** A compared character. */
export interface ComparedUnit {
  id: string;
  name: string;
  href: string;
  tile: TileData;
}

/** Properties of `CompareTable`. */
export interface CompareTableProps {
  units: readonly ComparedUnit[];
  sections: readonly ComparedSection[];
  /** Undefined on a server. */
  onRemove: ((id: string) => void) | undefined;
}

/** Characters side by side: the largest value of each stat is marked, and bars show the others' share of it. */
export function CompareTable({ units, sections, onRemove }: CompareTableProps): JSX.Element {
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const isShown = ({ differs, isMain }: ComparedRow) =>
    (differs || !onlyDifferent) && (isWhole || isMain || !hasMain);
  const hasMain = sections.some(({ rows }) => rows.some(({ isMain }) => isMain));
  const shown = sections
    .map((section) => ({ ...section, rows: section.rows.filter(isShown) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <>
      <p class="choice-row with-script">
        <Switch label="Only what differs" isOn={onlyDifferent} onChange={setOnlyDifferent} />
        <Switch label="All attributes" isOn={isWhole} onChange={setWhole} />
      </p>
      <Scroll label="Comparison" isTall>
        <table class="compare">
          <thead>
            <tr>
              <td />
              {units.map(({ id, name, href, tile }) => (
                <th key={id} scope="col">
                  <Tile tile={tile} size={40} />{' '}
                  <button
                    type="button"
                    class="quiet remove with-script"
                    aria-label={`Remove ${name}`}
                    disabled={onRemove === undefined}
                    onClick={() => onRemove?.(id)}
                  >
                    ×
                  </button>
                  <a href={href}>{name}</a>
                </th>
              ))}
            </tr>
          </thead>
          {shown.map(({ title, rows }) => (
            <tbody key={title}>
              <tr>
                <th class="section" scope="rowgroup" colSpan={units.length + 1}>
                  {title}
                </th>
              </tr>
              {rows.map((row) => (
                <Row key={row.key} row={row} units={units} />
              ))}
            </tbody>
          ))}
        </table>
      </Scroll>
      {units.length > 1 && <p class="small muted">★ marks the largest value of a stat.</p>}
    </>
  );
}

function Switch({
  label,
  isOn,
  onChange,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <label class="choice">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

const BAR_WIDTH = 100;

function Row({
  row: { label, hint, unit, cells },
  units,
}: {
  row: ComparedRow;
  units: readonly ComparedUnit[];
}) {
  return (
    <tr>
      <th scope="row" title={hint}>
        {label}
        {unit !== undefined && <span class="unit"> {unit}</span>}
      </th>
      {cells.map(({ text, picture, isBest, share }, at) => (
        <td key={units[at]?.id ?? at} class={isBest ? 'best' : undefined}>
          {text}
          {picture && (
            <img src={picture} alt="" width="96" height="96" loading="lazy" referrerpolicy="no-referrer" />
          )}
          {isBest && (
            <>
              <span class="star" aria-hidden="true">
                {' '}
                ★
              </span>
              <span class="visually-hidden"> largest</span>
            </>
          )}
          {share !== undefined && (
            <svg class="bar" viewBox={`0 0 ${BAR_WIDTH} 4`} preserveAspectRatio="none" aria-hidden="true">
              <rect class="chart-rest" width={BAR_WIDTH} height="4" />
              <rect class="chart-bar" width={Math.round(share * BAR_WIDTH)} height="4" />
            </svg>
          )}
        </td>
      ))}
    </tr>
  );
}
