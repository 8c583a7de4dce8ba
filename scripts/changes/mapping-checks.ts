import path from 'node:path';
import type { CheckFinding } from '../check/rules.ts';
import { atLine, type Expression, eachNode, type Node, rootOf, textOf } from '../compile/expression.ts';
import { nameTables } from '../compile/mapping.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import type { GameSource } from '../read/game.ts';
import { countOf } from '../text.ts';
import type { BuildData, ChangeCheck, ChangeFinding, CheckRule } from './data.ts';
import type { List } from './survey.ts';

// Checks of mappings that cannot be right; they need no previous build.

/** An expression that returns the records of a list. */
interface MappedList {
  list: List;
  expression: Expression;
}

function mappedLists({ build, after }: BuildData): MappedList[] {
  const { roster, datasets } = build.trace.mapping;
  const mapped = [...(roster ? ([['characters', roster]] as const) : []), ...datasets];
  return mapped.flatMap(([key, rows]) => {
    const list = after.lists.get(key);
    if (list === undefined) return [];
    const record = key === 'characters' ? roster?.record : undefined;
    const expressions = 'expression' in rows ? [rows.expression] : [rows.entry, ...(record ? [record] : [])];
    return expressions.map((expression) => ({ list, expression }));
  });
}

export const whereDropsAllCheck: ChangeCheck = {
  name: 'where-drops-all',
  description: 'A `where` of a dataset keeps at least one row of a table that has rows.',
  lasting: true,
  check: ({ build: { trace } }) =>
    [...trace.mapping.datasets].flatMap(([key, rows]): ChangeFinding[] => {
      const { rows: seen, kept } = trace.selections.get(key) ?? { rows: 0, kept: 0 };
      // For the roster, `roster-size` reports it.
      if (!('where' in rows) || rows.where === undefined || seen === 0 || kept > 0) return [];
      return [
        {
          ...{ of: key, causes: [key], place: rows.where.place },
          found: `"where" drops all ${countOf(seen, 'row')} of table ${nameTables(rows)}, and "${key}" is empty`,
          expected: 'true for at least one row',
        },
      ];
    }),
};

export const attributeUnservedCheck: ChangeCheck = {
  name: 'attribute-unserved',
  description: 'Every attribute that a mapping names has a value in at least one record.',
  warns: true,
  lasting: true,
  check: (data) =>
    mappedLists(data)
      // A table that is optional may be absent.
      .filter(({ expression }) =>
        [...(expression.tables ?? [])].every((table) => data.build.trace.tables.has(table)),
      )
      .filter(({ list: { kind, records } }) => (kind === 'object' ? records.length > 0 : records.length >= 3))
      .flatMap((mapped) =>
        findUnserved(data, mapped, namedIn(mapped.expression)).map(({ path: names, line }): ChangeFinding => {
          const { list, kind, records } = mapped.list;
          const where =
            kind === 'object'
              ? `the dataset "${list}"`
              : `all ${countOf(records.length, 'record')} of ${list}`;
          return {
            ...{ of: `${list}.${names.join('.')}`, place: atLine(mapped.expression.place, line) },
            found: `no value for "${names.join('.')}" in ${where}`,
            expected: 'a value in at least one record, because the mapping names it',
          };
        }),
      ),
};

/** Finds attributes that no record has, without those inside another one, and without those that the previous build had, which are lost. */
function findUnserved(
  data: BuildData,
  mapped: MappedList,
  attributes: readonly NamedAttribute[],
): NamedAttribute[] {
  const { records, list } = mapped.list;
  const earlier = data.before?.lists.get(list)?.records ?? [];
  return attributes.flatMap((attribute): NamedAttribute[] => {
    const has = (record: Json) => hasValue(record, attribute.path);
    if (!records.some(has)) return earlier.some(has) ? [] : [attribute];
    return findUnserved(data, mapped, attribute.inside);
  });
}

/** Whether a value has something at a path, in any element of the lists on the way. Null and empty values count as nothing; zero is a value. */
function hasValue(value: Json | undefined, names: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element) => hasValue(element, names));
  const [name, ...others] = names;
  if (name !== undefined)
    return isObject(value) && Object.hasOwn(value, name) && hasValue(value[name], others);
  if (value === undefined || value === null || value === '') return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

/** An attribute that an expression names in an object that it returns: the `'name'` of `{'name': title}`. */
interface NamedAttribute {
  /** The names on the path from the record, also through lists. */
  path: readonly string[];
  /** The 1-based line in the expression's text. */
  line: number;
  inside: readonly NamedAttribute[];
}

const named = new WeakMap<Expression, readonly NamedAttribute[]>();

/** Returns the attributes of the objects that an expression returns, as far as its text shows them. */
function namedIn(expression: Expression): readonly NamedAttribute[] {
  const attributes = named.get(expression) ?? new NameFinder(expression).find();
  named.set(expression, attributes);
  return attributes;
}

/** Follows an expression to the objects that it returns. It assumes that a variable has one value in a mapping, whatever block binds it. */
class NameFinder {
  readonly #root: Node;
  readonly #text: string;
  readonly #bound = new Map<string, Node[]>();

  constructor({ parsed: { ast, text, helpers } }: Expression) {
    this.#root = rootOf(ast);
    this.#text = text;
    for (const tree of helpers ? [ast, helpers] : [ast])
      eachNode(tree, ({ type, lhs, rhs }) => {
        const name = String(textOf(lhs));
        if (type === 'bind' && rhs) this.#bound.set(name, [...(this.#bound.get(name) ?? []), rhs]);
      });
  }

  find(): NamedAttribute[] {
    return this.#attributesOf(this.#root, []);
  }

  /** Returns the attributes of the objects that a node returns, without repeats. */
  #attributesOf(node: Node, above: readonly string[]): NamedAttribute[] {
    const attributes = new Map<string, NamedAttribute>();
    for (const { lhs } of this.#objectsOf(node, new Set())) {
      for (const [key, value] of Array.isArray(lhs) ? (lhs as [Node, Node][]) : []) {
        const name = String(key.value);
        if (key.type !== 'string' || attributes.has(name)) continue;
        const line = this.#text.slice(0, key.position).split('\n').length;
        const names = [...above, name];
        attributes.set(name, { path: names, line, inside: this.#attributesOf(value, names) });
      }
    }
    return [...attributes.values()];
  }

  /**
   * Returns the object constructors whose results a node returns, alone or in a list. @param open the nodes on the way here: a function may call
   * itself
   */
  #objectsOf(node: Node | undefined, open: ReadonlySet<Node>): Node[] {
    if (node === undefined || open.has(node)) return [];
    const all = (nodes: readonly (Node | undefined)[] = []) =>
      nodes.flatMap((part) => this.#objectsOf(part, new Set([...open, node])));
    const { type, value, expressions, procedure, arguments: args = [] } = node;
    if (type === 'unary' && value === '{') return [node];
    if (type === 'unary' && value === '[') return all(expressions);
    if (type === 'path') return node.group === undefined ? all([node.steps?.at(-1)]) : [];
    if (type === 'block') return all([expressions?.at(-1)]);
    if (type === 'condition') return all([node.then, node.else]);
    if (type === 'variable') return all(this.#bound.get(String(value)));
    if (type === 'lambda') return all([node.body]);
    if (type === 'apply') return all([node.rhs]);
    if (type !== 'function') return [];
    const name = String(procedure?.value);
    if (/^(?:map|each|reduce)$/.test(name)) return all(args.filter((part) => part.type === 'lambda'));
    // Functions that return their first argument, or elements of it.
    if (/^(?:merge|append|distinct|filter|first|last|reverse|single|sort)$/.test(name))
      return all(args.slice(0, 1));
    return all([procedure]);
  }
}

/** A check of a game's definition without tables. It runs only if nothing else is wrong. `check` is pure. */
export interface GameCheck extends CheckRule {
  check(game: GameSource, limit: (name: string) => number): CheckFinding[];
}

export const gameSizeCheck: GameCheck = {
  name: 'game-size',
  description: 'The folder of a game is small enough for a repository.',
  warns: true,
  thresholds: {
    max_megabytes: {
      ...{ default: 10, min: 0.001, max: 1e6 },
      help: 'how large the folder of a game may be, in MB',
    },
  },
  check({ folder, bytes }, limit) {
    const most = limit('max_megabytes');
    if (bytes <= most * 1e6) return [];
    return [
      {
        place: { file: path.posix.join(folder, 'game.json'), pointer: '', line: 1 },
        found: `${(bytes / 1e6).toFixed(2)} MB in ${folder}`,
        expected: `at most ${most} MB, because every clone of the repository contains it`,
        fix: `store only the files and attributes that the mapping reads, and add the builds anew (gamedata add --replace); or name files of a public repository instead of copying them ("keep": "references" in "source"); if all of it is needed, set "checks": {"game-size": {"max_megabytes": ${Math.ceil(bytes / 1e6) + 2}}}`,
      },
    ];
  },
};
