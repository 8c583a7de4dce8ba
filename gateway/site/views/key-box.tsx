import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useReady } from './use-choice.ts';

/** Properties of `KeyBox`. */
export interface KeyBoxProps {
  /** What a key is for here, in a sentence. */
  purpose: string;
  /** Why the key in use does not work; undefined if it does, or without one. */
  problem: string | undefined;
  hasKey: boolean;
  /** How to get a key, as the end of the sentence before the field; by default, a free key. */
  ways?: ComponentChildren;
  /** Undefined on a server. */
  onKey: ((key: string | undefined) => void) | undefined;
}

const MAX_KEY_CHARS = 64;

/** A field for a key that this tab keeps, or what forgets it. */
export function KeyBox({ purpose, problem, hasKey, ways = <FreeWays />, onKey }: KeyBoxProps): JSX.Element {
  const [typed, setTyped] = useState('');
  // Until the script of the page runs, a key that is typed and sent would be lost.
  const isReady = useReady();
  if (hasKey) {
    return (
      <p class="key-box small">
        This tab uses your key.{' '}
        <button type="button" class="quiet" onClick={() => onKey?.(undefined)}>
          Remove it from this tab
        </button>
      </p>
    );
  }
  const use = () => {
    if (typed.trim() !== '') onKey?.(typed.trim());
  };
  return (
    <form
      class="key-box panel"
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
    >
      <p>
        {purpose} {ways}
      </p>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div class="field-row">
        <label class="visually-hidden" for="tab-key">
          Your key, which only this tab keeps
        </label>
        <input
          id="tab-key"
          type="password"
          autocomplete="off"
          placeholder="gdr_…"
          maxLength={MAX_KEY_CHARS}
          disabled={!isReady}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit" disabled={!isReady}>
          Use this key
        </button>
      </div>
    </form>
  );
}

function FreeWays() {
  return (
    <>
      <a href="/signup">Get a free key</a>, or use the one you have:
    </>
  );
}
