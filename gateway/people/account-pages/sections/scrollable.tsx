import type { ComponentChildren, JSX } from 'preact';

/** A table that can scroll on narrow screens, also by keyboard. */
export function Scrollable(props: {
  /** What the table has. */
  label: string;
  head: readonly string[];
  /** Its rows: elements `<tr>`. */
  children: ComponentChildren;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <div class="scroll account-table" role="group" tabIndex={0} aria-label={props.label}>
      <table>
        <tr>{props.head.map((title) => (title === '' ? <td /> : <th scope="col">{title}</th>))}</tr>
        {props.children}
      </table>
    </div>
  );
}
