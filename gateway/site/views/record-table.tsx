import type { ComponentChildren, JSX } from 'preact';
import type { JsonObject } from '../../../scripts/format/json.ts';
import { Scroll } from '../layout/scroll.tsx';
import { valueAt } from '../model/facets.ts';
import {
  formatCell,
  fullLabel,
  type Known,
  labelOf,
  nameOfRecord,
  type Reader,
  unitOf,
} from '../model/format-value.ts';
import type { SortBy } from '../model/list-state.ts';
import { addressOf } from '../model/linked.ts';
import { type TileKeys, tileOf } from '../model/tile.ts';
import { Tile } from './tile.tsx';

/** Properties of `RecordTable`. */
export interface RecordTableProps {
  game: string;
  /** `characters`, or the key of a dataset. */
  collection: string;
  records: readonly JsonObject[];
  /** The dotted keys of the columns. */
  columns: readonly string[];
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
  caption: string;
  sort?: readonly SortBy[];
  /** Makes the link that sorts by a column; undefined if the table cannot be sorted here. */
  sortLink?: ((key: string, isNumber: boolean, text: ComponentChildren) => JSX.Element) | undefined;
  /** The names of records that the cells refer to, by collection and id. */
  names: Readonly<Record<string, string>>;
  /** What the pictures of records are drawn from. */
  tile: TileKeys;
  /** Whether rows are high. */
  isRoomy: boolean;
  /** Whether records have pages. */
  hasIds: boolean;
  /** The ids of the records that are chosen at first; undefined if none can be chosen. */
  chosen?: ReadonlySet<string> | undefined;
}

/** A table of records, with a column for each chosen attribute. */
export function RecordTable(props: RecordTableProps): JSX.Element {
  const { records, columns, caption, chosen } = props;
  return (
    <Scroll label={caption}>
      <table class={props.isRoomy ? 'records roomy' : 'records'}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {chosen && (
              <th scope="col">
                <span class="visually-hidden">Compare</span>
              </th>
            )}
            {columns.map((key) => (
              <Heading key={key} name={key} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, at) => (
            <Row key={String(record.id ?? at)} record={record} {...props} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Heading({
  name,
  attributes,
  reader,
  records,
  columns,
  sort,
  sortLink,
}: RecordTableProps & { name: string }) {
  const attribute = attributes.get(name) ?? { key: name };
  const isNumber = isNumeric(records, name);
  const unit = unitOf(attribute);
  const by = sort?.find(({ key }) => key === name);
  const label = name.startsWith('stats.')
    ? labelOf(attribute, reader.lang)
    : fullLabel(attributes, name, reader.lang);
  const text: ComponentChildren = (
    <>
      {label}
      {unit !== undefined && isNumber && <span class="unit"> {unit}</span>}
    </>
  );
  const isList = attribute.list === true || records.some((record) => Array.isArray(valueAt(record, name)));
  return (
    <th
      scope="col"
      class={columnClass(isNumber, name === columns[0])}
      title={attribute.description}
      aria-sort={by ? (by.descending ? 'descending' : 'ascending') : undefined}
    >
      {sortLink && !isList
        ? sortLink(
            name,
            isNumber,
            <>
              {text}
              <span class="arrow" aria-hidden="true">
                {by ? (by.descending ? '↓' : '↑') : ''}
              </span>
            </>,
          )
        : text}
    </th>
  );
}

function Row({ record, columns, chosen, ...props }: RecordTableProps & { record: JsonObject }) {
  const id = typeof record.id === 'string' ? record.id : undefined;
  const name = nameOfRecord(record);
  return (
    <tr>
      {chosen && (
        <td class="choose">
          {id !== undefined && (
            <input
              type="checkbox"
              name="unit"
              value={id}
              aria-label={`Compare ${name}`}
              checked={chosen.has(id)}
            />
          )}
        </td>
      )}
      {columns.map((key, at) => (
        <Cell key={key} name={key} isFirst={at === 0} id={id} record={record} {...props} />
      ))}
    </tr>
  );
}

function Cell({
  name,
  isFirst,
  id,
  record,
  game,
  collection,
  attributes,
  names,
  tile,
  hasIds,
  isRoomy,
  reader,
}: Pick<
  RecordTableProps,
  'game' | 'collection' | 'attributes' | 'reader' | 'names' | 'tile' | 'hasIds' | 'isRoomy'
> & {
  name: string;
  isFirst: boolean;
  id: string | undefined;
  record: JsonObject;
}) {
  const value = valueAt(record, name);
  const attribute = attributes.get(name) ?? { key: name };
  const isUnnamed = isFirst && name === 'name' && value === undefined;
  const text = isUnnamed ? nameOfRecord(record) : formatCell(value, attribute, reader);
  if (isFirst) {
    return (
      <th scope="row">
        <Tile tile={tileOf(record, tile)} size={isRoomy ? 32 : 20} />{' '}
        {hasIds && id !== undefined ? <a href={addressOf(game, collection, id)}>{text}</a> : text}
      </th>
    );
  }
  const { ref } = attribute;
  const isRef = typeof value === 'string' && ref !== undefined;
  return (
    <td class={typeof value === 'number' ? 'number' : undefined}>
      {isRef ? <a href={addressOf(game, ref, value)}>{names[`${ref}/${value}`] ?? text}</a> : text}
    </td>
  );
}

function columnClass(isNumber: boolean, isFirst: boolean): string | undefined {
  if (isFirst) return 'first';
  return isNumber ? 'number' : undefined;
}

function isNumeric(records: readonly JsonObject[], key: string): boolean {
  const values = records
    .map((record) => valueAt(record, key))
    .filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}
