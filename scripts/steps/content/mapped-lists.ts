import type { Expression } from '../../compile/expression.ts';
import type { Join } from '../../compile/joins.ts';
import { type NamedAttribute, namedIn } from './named-attributes.ts';
import { isObject, type Json } from '../../format/dist-format.ts';
import { nameSome } from '../step.ts';
import type { Content, ListContent } from './content.ts';

/** An expression of a mapping that returns records, and the list that they are in. */
export interface MappedList {
  list: ListContent;
  expression: Expression;
}

/** The expressions that make the records of a build. */
export function mappedLists({ build, lists }: Content): MappedList[] {
  const { roster, datasets } = build.trace.mapping;
  const mapped = [...(roster ? ([['characters', roster]] as const) : []), ...datasets];
  return mapped.flatMap(([key, rows]) => {
    const list = lists.find((candidate) => candidate.list === key);
    if (list === undefined) return [];
    const record = key === 'characters' ? roster?.record : undefined;
    const expressions = 'expression' in rows ? [rows.expression] : [rows.entry, ...(record ? [record] : [])];
    return expressions.map((expression) => ({ list, expression }));
  });
}

/** The places of the tables in which an expression found none of its keys. */
export function findMissedJoins({ build }: Content, { expression }: MappedList): Join[] {
  return build.trace.joins.of(expression).filter(({ found, missed }) => found === 0 && missed > 0);
}

/** The name of a join in overrides. */
export function joinName({ list }: MappedList, { table, part }: Join): string {
  return `${list.list}.$tables.${table}${part === undefined ? '' : `.${part}`}`;
}

/** The text for the place of a join in messages. */
export function describeJoin({ table, part }: Join): string {
  return part === undefined ? `table "${table}"` : `"${part}" of table "${table}"`;
}

/** Some keys that a join would find, as the rest of a sentence. */
export function exampleKeys({ build }: Content, { table, part }: Join): string {
  const rows = build.trace.tables.get(table)?.value;
  const value = part !== undefined && isObject(rows) ? rows[part] : rows;
  const keys = isObject(value) ? Object.keys(value) : [];
  return keys.length === 0 ? ': it has none' : `, such as ${nameSome(keys)}`;
}

/** Whether a value has something at a path, in any element of the lists on the way. Null and what is empty is nothing; zero is a value. */
export function hasValue(value: Json | undefined, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element) => hasValue(element, path));
  const [name, ...others] = path;
  if (name !== undefined)
    return isObject(value) && Object.hasOwn(value, name) && hasValue(value[name], others);
  if (value === undefined || value === null || value === '') return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

/** The attributes that are made of a table, as findings name them. */
export function attributesFrom({ list, expression }: MappedList, { table }: Join): string[] {
  const expressionsOf = (attribute: NamedAttribute): string[] =>
    attribute.inside.length > 0
      ? attribute.inside.flatMap(expressionsOf)
      : attribute.tables.has(table)
        ? [`${list.list}.${attribute.path.join('.')}`]
        : [];
  return namedIn(expression).flatMap(expressionsOf);
}
