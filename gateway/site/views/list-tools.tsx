import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ColumnChoice } from '../model/columns.ts';
import { type Remaining, searchDelay } from '../model/quota.ts';
import { StateLink } from './state-link.tsx';
import type { ExploreModel } from './use-explore.ts';

/** Properties of `SearchField`. */
export interface SearchFieldProps {
  /** The search of the list. */
  value: string;
  /** What is left of the caps: with few requests, typing sends none. */
  remaining: readonly Remaining[];
  onSearch: (text: string) => void;
}

/** A field that searches while a reader types, but waits for a pause. */
export function SearchField({ value, remaining, onSearch }: SearchFieldProps): JSX.Element {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const delay = searchDelay(remaining);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    if (delay !== undefined) timer.current = setTimeout(() => onSearch(text.trim()), delay);
  };
  return (
    <div class="search">
      <label class="visually-hidden" for="search">
        Search by name, in any language
      </label>
      <input
        id="search"
        name="q"
        type="search"
        placeholder="Search by name, in any language"
        maxLength={256}
        autocomplete="off"
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          clearTimeout(timer.current);
          onSearch(typed.trim());
        }}
      />
      {delay === undefined && typed.trim() !== value && (
        <p class="small muted" role="status">
          Press Enter to search: few requests of your key are left.
        </p>
      )}
    </div>
  );
}

/** Properties of `ColumnPicker`. */
export interface ColumnPickerProps {
  choices: readonly ColumnChoice[];
  chosen: readonly string[];
  /** An empty list stands for the usual columns. */
  onChoose: (keys: readonly string[]) => void;
}

/** Chooses the columns of a table. A choice is used when the reader says so. */
export function ColumnPicker({ choices, chosen, onChoose }: ColumnPickerProps): JSX.Element {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set(chosen));
  useEffect(() => setPicked(new Set(chosen)), [chosen.join()]);
  const toggle = (key: string) => {
    const next = new Set(picked);
    if (!next.delete(key)) next.add(key);
    setPicked(next);
  };
  const inOrder = () => [
    ...chosen.filter((key) => picked.has(key)),
    ...choices.map(({ key }) => key).filter((key) => picked.has(key) && !chosen.includes(key)),
  ];
  return (
    <details class="columns">
      <summary>Columns</summary>
      <div class="panel">
        <fieldset class="column-list">
          <legend class="visually-hidden">Columns of the table</legend>
          {choices.map(({ key, label }) => (
            <label key={key} class="choice-line">
              <input
                type="checkbox"
                name="fields"
                value={key}
                checked={picked.has(key)}
                onChange={() => toggle(key)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <p class="button-row">
          <button type="button" onClick={() => onChoose(inOrder())}>
            Show these columns
          </button>
          <button type="button" class="quiet" onClick={() => onChoose([])}>
            Usual columns
          </button>
        </p>
      </div>
    </details>
  );
}

/** Properties of `Pager`. */
export interface PagerProps {
  model: ExploreModel;
  total: number;
  offset: number;
  size: number;
}

/** Leads to the pages of a list. */
export function Pager({ model, total, offset, size }: PagerProps): JSX.Element | null {
  if (offset === 0 && total <= size) return null;
  const page = Math.floor(offset / size) + 1;
  const pages = Math.max(page, Math.ceil(total / size));
  const at = (next: number) => ({ ...model.state, offset: Math.max(0, next) });
  return (
    <nav class="pager" aria-label="Pages">
      {offset > 0 && (
        <StateLink model={model} state={at(offset - size)} class="button quiet" rel="prev">
          Previous page
        </StateLink>
      )}
      <span>
        Page {page} of {pages}
      </span>
      {offset + size < total && (
        <StateLink model={model} state={at(offset + size)} class="button quiet" rel="next">
          Next page
        </StateLink>
      )}
    </nav>
  );
}
