import type { JSX } from 'preact';

/** A text to copy. */
export function Code({ text }: { text: string }): JSX.Element {
  return (
    <pre>
      <code>{text}</code>
    </pre>
  );
}
