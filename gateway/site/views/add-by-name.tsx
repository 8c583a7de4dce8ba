import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FoundRecord } from './browser.ts';

/** Properties of `AddByName`. */
export interface AddByNameProps {
  /** Finds records by name; undefined on a server. @param signal cancels it */
  find: ((text: string, signal: AbortSignal) => Promise<FoundRecord[]>) | undefined;
  onAdd: (id: string) => void;
}

const SHOWN = 6;
const DELAY_MS = 250;

/** Finds a character by name to add it. */
export function AddByName({ find, onAdd }: AddByNameProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<{ text: string; records: FoundRecord[] }>();
  const text = typed.trim();
  useEffect(() => {
    if (text === '' || find === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(async () => {
      const records = await find(text, signal);
      if (!signal.aborted) setFound({ text, records: records.slice(0, SHOWN) });
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  const records = text === '' ? [] : (found?.records ?? []);
  const isFound = found?.text === text;
  const add = (id: string) => {
    setTyped('');
    onAdd(id);
  };
  return (
    <form
      class="search with-script"
      onSubmit={(event) => {
        event.preventDefault();
        const [first] = records;
        if (first) add(first.id);
      }}
    >
      <label for="add-name">Add a character</label>
      <input
        id="add-name"
        type="search"
        autocomplete="off"
        placeholder="Name, in any language"
        disabled={find === undefined}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <p role="status" class="visually-hidden">
        {isFound && `${records.length === 0 ? 'No' : records.length} characters found`}
      </p>
      {records.length > 0 && (
        <ul class="found plain-list">
          {records.map(({ id, name }) => (
            <li key={id}>
              <button type="button" class="chip" onClick={() => add(id)}>
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
      {isFound && records.length === 0 && text !== '' && <p class="small muted">No name matches.</p>}
    </form>
  );
}
