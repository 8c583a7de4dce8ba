import type { JSX } from 'preact';
import { fullLabel, valueLabel } from '../model/format-value.ts';
import type { Filter, Operator } from '../model/list-state.ts';
import { StateLink } from './state-link.tsx';
import type { ExploreModel } from './use-explore.ts';

const SIGNS: Record<Operator, string> = {
  is: '=',
  ne: '≠',
  gte: '≥',
  gt: '>',
  lte: '≤',
  lt: '<',
  exists: 'exists:',
};

/** The filters in use, each as a link that removes it. */
export function ActiveFilters({ model }: { model: ExploreModel }): JSX.Element | null {
  const { state, known, reader } = model;
  const { filters, ids } = state;
  if (filters.length === 0 && ids.length === 0) return null;
  const describe = ({ key, operator, value }: Filter) => {
    const choice = model.side.find((facet) => facet.key === key);
    const inWords = choice?.form === 'choices' && choice.choices.find((each) => each.value === value)?.label;
    const label = inWords || (valueLabel(value, known.get(key) ?? { key }, reader.lang) ?? value);
    return `${fullLabel(known, key, reader.lang)} ${SIGNS[operator]} ${label}`;
  };
  return (
    <ul class="active-filters" aria-label="Filters in use">
      {filters.map((filter) => (
        <li key={`${filter.key} ${filter.operator} ${filter.value}`}>
          <StateLink
            model={model}
            class="chip"
            label={`Remove ${describe(filter)}`}
            state={{ ...state, filters: filters.filter((other) => other !== filter), offset: 0 }}
          >
            {describe(filter)} <span aria-hidden="true">×</span>
          </StateLink>
        </li>
      ))}
      {ids.length > 0 && (
        <li>
          <StateLink model={model} class="chip" state={{ ...state, ids: [], offset: 0 }}>
            Only {ids.length === 1 ? `the record ${ids[0]}` : `${ids.length} records`}{' '}
            <span aria-hidden="true">×</span>
          </StateLink>
        </li>
      )}
      <li>
        <StateLink model={model} class="chip" state={{ ...state, filters: [], ids: [], offset: 0 }}>
          Clear all
        </StateLink>
      </li>
    </ul>
  );
}
