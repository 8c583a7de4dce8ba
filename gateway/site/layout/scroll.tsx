import type { ComponentChildren, JSX } from 'preact';

/** A table that scrolls inside the page where it is too wide; its arrow keys work for readers without a mouse. */
export function Scroll({
  label,
  isTall = false,
  children,
}: {
  label: string;
  /** Whether it also scrolls up and down inside the window, so that its heads stay. */
  isTall?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <div class={isTall ? 'scroll tall' : 'scroll'} role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
