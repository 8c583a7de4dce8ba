import type { JSX } from 'preact';
import type { Attribute, CollectionAttributes } from '../../../scripts/format/attributes.ts';
import { Count } from '../layout/format.tsx';
import { Scroll } from '../layout/scroll.tsx';
import type { Collection } from '../../query/collection.ts';
import { Coverage, Histogram, Range, ValueBars } from './small-charts.tsx';

const MAX_ROWS = 200;
const MAX_EXAMPLES = 3;
const MAX_TEXT = 60;

/** The attribute dictionary of a list: keys, meanings, how many records have each, and what the values are like. */
export function AttributeTable({
  attributes: { attributes, records },
  list,
}: {
  attributes: CollectionAttributes;
  list: Collection;
}): JSX.Element {
  const shown = attributes.filter(({ type }) => type !== undefined && type !== 'object').slice(0, MAX_ROWS);
  const left = attributes.length - shown.length;
  return (
    <>
      <Scroll label="Attributes">
        <table class="attributes">
          <thead>
            <tr>
              <th scope="col">Attribute</th>
              <th scope="col">Type</th>
              <th scope="col">Coverage</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((attribute) => (
              <tr key={attribute.key}>
                <th scope="row">
                  <code>{attribute.key}</code>
                  <Meaning attribute={attribute} />
                </th>
                <td class="small">{describeType(attribute)}</td>
                <td>
                  <Coverage count={attribute.count} of={records} />
                </td>
                <td>
                  <Values attribute={attribute} list={list} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {left > 0 && attributes.length > MAX_ROWS && (
        <p class="muted">The first {MAX_ROWS} attributes are shown. The API lists all.</p>
      )}
    </>
  );
}

function Meaning({
  attribute: { label, description, unit, level },
}: {
  attribute: Attribute;
}): JSX.Element | null {
  const details = [unit && `in ${unit}`, level].filter((part) => part !== undefined && part !== '');
  const text = [description ?? label, details.length > 0 ? `(${details.join(', ')})` : undefined]
    .filter(Boolean)
    .join(' ');
  return text === '' ? null : <span class="meaning">{text.split('`').map(markCode)}</span>;
}

/** Shows each second part of a text as code: what is between backticks. */
function markCode(part: string, index: number): JSX.Element | string {
  return index % 2 === 0 ? part : <code key={index}>{part}</code>;
}

function describeType({ type, list, kind, ref }: Attribute): string {
  const base = kind !== undefined && kind !== 'text' && kind !== 'number' ? kind : type;
  return `${list ? 'list of ' : ''}${base}${ref === undefined ? '' : ` to ${ref}`}`;
}

function Values({ attribute, list }: { attribute: Attribute; list: Collection }): JSX.Element | null {
  const { key, type, count, values, examples, min, max, distinct = 0 } = attribute;
  // What names a single record each is no range, and a page shows ten records only.
  if (type === 'string' && distinct > 1 && distinct === count) {
    return (
      <span class="small muted">
        <Count value={distinct} /> different
      </span>
    );
  }
  const isRange = min !== undefined && max !== undefined;
  const column = list.columns.get(key);
  if (values && values.length > 0 && (!isRange || values.length <= 8)) return <ValueBars values={values} />;
  if (isRange && column && max > min) return <Histogram column={column} min={min} max={max} />;
  if (isRange)
    return (
      <span class="small">
        <Range min={min} max={max} />
      </span>
    );
  if (examples === undefined || examples.length === 0) return null;
  const shown = examples.slice(0, MAX_EXAMPLES).map((example) => shorten(String(example)));
  return (
    <span class="small muted">
      <Count value={distinct} /> different: {shown.join(', ')}, …
    </span>
  );
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
