import type { JSX } from 'preact';

/** A block of code, which scrolls where it is too wide. */
export function Code({ text }: { text: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}
