import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Choice, SideFacet } from '../model/facets.ts';
import {
  filterValue,
  isChosen,
  type ListState,
  type Operator,
  setFilter,
  toggleValue,
} from '../model/list-state.ts';

/** Properties of `SideFilters`. */
export interface SideFiltersProps {
  facets: readonly SideFacet[];
  state: ListState;
  /** Undefined if the list cannot be filtered here: then the filters only show what there is. */
  onState: ((state: ListState) => void) | undefined;
  locale: string;
}

/** How many filters are open at first. */
const OPEN = 4;
/** How many choices of a filter are shown at first. */
const SHORT = 8;

/** The filters at the side of a table, with counts. */
export function SideFilters({ facets, ...props }: SideFiltersProps): JSX.Element {
  // Values that name characters which need a key are not on the page.
  const filled = facets.filter((facet) => facet.form === 'range' || facet.choices.length > 0);
  return (
    <div class="filters">
      {filled.map((facet, at) => (
        <details key={facet.key} class="filter" open={at < OPEN || hasFilter(props.state, facet.key)}>
          <summary title={facet.hint}>{facet.label}</summary>
          {facet.form === 'choices' ? (
            <Choices facet={facet} {...props} />
          ) : (
            <Range facet={facet} {...props} />
          )}
        </details>
      ))}
    </div>
  );
}

function hasFilter({ filters }: ListState, key: string): boolean {
  return filters.some((filter) => filter.key === key);
}

function Choices({
  facet,
  state,
  onState,
  locale,
}: Omit<SideFiltersProps, 'facets'> & { facet: SideFacet & { form: 'choices' } }) {
  const [isLong, setLong] = useState(false);
  const { key, label, choices, more } = facet;
  const shown = isLong
    ? choices
    : choices.filter((choice, at) => at < SHORT || isChosen(state, key, choice.value));
  const format = new Intl.NumberFormat(locale);
  return (
    <fieldset disabled={onState === undefined}>
      <legend class="visually-hidden">{label}</legend>
      {shown.map((choice: Choice) => (
        <label key={choice.value} class="choice-line">
          <input
            type="checkbox"
            name={key}
            value={choice.value}
            checked={isChosen(state, key, choice.value)}
            onChange={() => onState?.(toggleValue(state, key, choice.value))}
          />
          <span>{choice.label}</span>
          <span class="count">{format.format(choice.count)}</span>
        </label>
      ))}
      {shown.length < choices.length && (
        <button type="button" class="quiet" onClick={() => setLong(true)}>
          {choices.length - shown.length} more
        </button>
      )}
      {isLong && more > 0 && <p class="small muted">{format.format(more)} rarer values are not listed.</p>}
    </fieldset>
  );
}

const BOUNDS: readonly { operator: Operator; label: string }[] = [
  { operator: 'gte', label: 'from' },
  { operator: 'lte', label: 'to' },
];

function Range({
  facet,
  state,
  onState,
}: Omit<SideFiltersProps, 'facets'> & { facet: SideFacet & { form: 'range' } }) {
  const { key, label, min, max, unit } = facet;
  return (
    <fieldset class="range" disabled={onState === undefined}>
      <legend class="visually-hidden">{unit === undefined ? label : `${label}, ${unit}`}</legend>
      {BOUNDS.map(({ operator, label: bound }) => (
        <label key={operator}>
          <span class="small muted">{bound}</span>
          <input
            type="number"
            name={`${key}[${operator}]`}
            step="any"
            aria-label={`${label} ${bound}`}
            placeholder={String(operator === 'gte' ? min : max)}
            value={filterValue(state, key, operator)}
            onChange={(event) => onState?.(setFilter(state, key, operator, event.currentTarget.value))}
          />
        </label>
      ))}
    </fieldset>
  );
}
