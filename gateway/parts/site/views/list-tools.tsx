import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ColumnChoice } from '../model/columns.ts';
import { type Remaining, searchDelay } from '../model/quota.ts';

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
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        clearTimeout(timer.current);
        onSearch(typed.trim());
      }}
    >
      <label class="visually-hidden" for="search">
        Search by name, in any language
      </label>
      <input
        id="search"
        type="search"
        placeholder="Search by name, in any language"
        maxLength={256}
        autocomplete="off"
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
      />
      {delay === undefined && typed.trim() !== value && (
        <p class="small muted" role="status">
          Press Enter to search: few requests of your key are left.
        </p>
      )}
    </form>
  );
}

/** Properties of `ColumnPicker`. */
export interface ColumnPickerProps {
  choices: readonly ColumnChoice[];
  chosen: readonly string[];
  /** An empty list stands for the usual columns. */
  onChoose: (keys: readonly string[]) => void;
}

/** Chooses the columns of a table. A choice is used when the reader says so: each costs a request. */
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
              <input type="checkbox" checked={picked.has(key)} onChange={() => toggle(key)} />
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
  total: number;
  offset: number;
  size: number;
  onOffset: (offset: number) => void;
}

/** Leads to the pages of a list. */
export function Pager({ total, offset, size, onOffset }: PagerProps): JSX.Element | null {
  if (offset === 0 && total <= size) return null;
  const page = Math.floor(offset / size) + 1;
  const pages = Math.max(page, Math.ceil(total / size));
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - size))}>
        Previous page
      </button>
      <span>
        Page {page} of {pages}
      </span>
      <button type="button" disabled={offset + size >= total} onClick={() => onOffset(offset + size)}>
        Next page
      </button>
    </nav>
  );
}
