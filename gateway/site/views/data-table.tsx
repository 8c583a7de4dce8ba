import type { ComponentChildren, JSX } from 'preact';
import { Scroll } from '../layout/scroll.tsx';

/** A column of a table. */
export interface DataColumn {
  label: string;
  unit: string | undefined;
  isNumber: boolean;
}

/** Properties of `DataTable`. */
export interface DataTableProps {
  /** What the table has, for readers who do not see it. */
  label: string;
  columns: readonly DataColumn[];
  /** The cells of each row. */
  rows: readonly (readonly ComponentChildren[])[];
  /** Whether the first cell of a row names it. */
  hasRowHeads?: boolean;
  /** Whether a narrow window shows the cells of a row below each other: of tables with long texts. */
  isStacked?: boolean;
}

/** A longer unit stands below the name of its column. */
const LONG_UNIT_CHARS = 16;

/** A table with a unit beside the name of each column. */
export function DataTable({
  label,
  columns,
  rows,
  hasRowHeads = false,
  isStacked = false,
}: DataTableProps): JSX.Element {
  const classOf = (at: number) => (columns[at]?.isNumber ? 'number' : undefined);
  // A property costs something in each cell, also if it is undefined.
  const cellProps = columns.map(({ isNumber, label: name }) => ({
    ...(isNumber && { class: 'number' }),
    ...(isStacked && { 'data-label': name }),
  }));
  return (
    <Scroll label={label}>
      <table class={isStacked ? 'stacked' : undefined}>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" class={classOf(at)}>
                {column.label}
                {column.unit !== undefined && (
                  <span class={column.unit.length > LONG_UNIT_CHARS ? 'unit long' : 'unit'}>
                    {' '}
                    {column.unit}
                  </span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) =>
                hasRowHeads && at === 0 ? (
                  <th key={at} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={at} {...cellProps[at]}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
