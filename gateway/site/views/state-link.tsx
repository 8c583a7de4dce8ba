import type { ComponentChildren, JSX } from 'preact';
import type { ListState } from '../model/list-state.ts';
import type { ExploreModel } from './use-explore.ts';

/** Properties of `StateLink`. */
export interface StateLinkProps {
  model: Pick<ExploreModel, 'addressOf' | 'show'>;
  /** What it leads to. */
  state: ListState;
  class?: string;
  label?: string;
  rel?: string;
  children: ComponentChildren;
}

/** A link to a list in another state, which a script shows in place. */
export function StateLink({ model, state, class: name, label, rel, children }: StateLinkProps): JSX.Element {
  return (
    <a
      class={name}
      href={model.addressOf(state)}
      rel={rel}
      aria-label={label}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        model.show?.(state);
      }}
    >
      {children}
    </a>
  );
}

/** Whether a click opens a link here, and not in another tab or window. */
export function isPlainClick({ ctrlKey, metaKey, shiftKey, button }: MouseEvent): boolean {
  return !ctrlKey && !metaKey && !shiftKey && button === 0;
}
