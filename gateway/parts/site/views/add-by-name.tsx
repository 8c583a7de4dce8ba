import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { findNames, type Named } from '../model/find-names.ts';

/** Properties of `AddByName`. */
export interface AddByNameProps {
  names: readonly Named[];
  onAdd: (id: string) => void;
  isLoading: boolean;
}

const SHOWN = 6;

/** Finds a character by name to add it. All names are loaded once, so typing sends nothing. */
export function AddByName({ names, onAdd, isLoading }: AddByNameProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const found = typed.trim() === '' ? [] : findNames(names, typed, SHOWN);
  const add = (id: string) => {
    setTyped('');
    onAdd(id);
  };
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        const [first] = found;
        if (first) add(first.id);
      }}
    >
      <label for="add-name">Add a character</label>
      <input
        id="add-name"
        type="search"
        autocomplete="off"
        placeholder={isLoading ? 'Loading the names…' : 'Name, in any language'}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <p role="status" class="visually-hidden">
        {typed.trim() !== '' && `${found.length === 0 ? 'No' : found.length} names found`}
      </p>
      {found.length > 0 && (
        <ul class="found plain-list">
          {found.map(({ id, name }) => (
            <li key={id}>
              <button type="button" class="chip" onClick={() => add(id)}>
                {name ?? id}
              </button>
            </li>
          ))}
        </ul>
      )}
      {typed.trim() !== '' && found.length === 0 && !isLoading && <p class="small muted">No name matches.</p>}
    </form>
  );
}
