import type { JSX } from 'preact';
import { fullLabel, type Known, type Reader, valueLabel } from '../model/format-value.ts';
import type { Filter, ListState, Operator } from '../model/list-state.ts';

/** Properties of `ActiveFilters`. */
export interface ActiveFiltersProps {
  state: ListState;
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
  onState: (state: ListState) => void;
}

const SIGNS: Record<Operator, string> = {
  is: '=',
  ne: '≠',
  gte: '≥',
  gt: '>',
  lte: '≤',
  lt: '<',
  exists: 'exists:',
};

/** The filters in use, each with a button that removes it. */
export function ActiveFilters({
  state,
  attributes,
  reader,
  onState,
}: ActiveFiltersProps): JSX.Element | null {
  const { filters, ids } = state;
  if (filters.length === 0 && ids.length === 0) return null;
  const describe = ({ key, operator, value }: Filter) => {
    const label = valueLabel(value, attributes.get(key) ?? { key }, reader.lang) ?? value;
    return `${fullLabel(attributes, key, reader.lang)} ${SIGNS[operator]} ${label}`;
  };
  return (
    <ul class="active-filters" aria-label="Filters in use">
      {filters.map((filter) => (
        <li key={`${filter.key} ${filter.operator} ${filter.value}`}>
          <button
            type="button"
            class="chip"
            aria-label={`Remove ${describe(filter)}`}
            onClick={() =>
              onState({ ...state, filters: filters.filter((other) => other !== filter), offset: 0 })
            }
          >
            {describe(filter)} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      {ids.length > 0 && (
        <li>
          <button type="button" class="chip" onClick={() => onState({ ...state, ids: [], offset: 0 })}>
            Only {ids.length === 1 ? `the record ${ids[0]}` : `${ids.length} records`}{' '}
            <span aria-hidden="true">×</span>
          </button>
        </li>
      )}
      <li>
        <button
          type="button"
          class="quiet"
          onClick={() => onState({ ...state, filters: [], ids: [], offset: 0 })}
        >
          Clear all
        </button>
      </li>
    </ul>
  );
}
