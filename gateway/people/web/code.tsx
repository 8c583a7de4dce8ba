import type { JSX } from 'preact';

/** A text to copy; a long line is wrapped, so that all of it is seen. */
export function Code({ text }: { text: string }): JSX.Element {
  return (
    <pre class="wrapped">
      <code>{text}</code>
    </pre>
  );
}
