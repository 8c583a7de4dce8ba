import type { Json, JsonObject } from '../../format/dist-format.ts';

/** More texts or numbers than these are no categories. */
const MAX_CATEGORIES = 40;

/** The values of an attribute in all records of a list, those inside lists included. */
export interface ValueProfile {
  /** The dotted key, without positions in lists. */
  key: string;
  numbers: number;
  min: number;
  max: number;
  /** How often each number occurs; undefined if there are more than 40. */
  choices: Map<number, number> | undefined;
  texts: number;
  /** Each text; undefined if there are more than 40. */
  categories: Set<string> | undefined;
}

interface Node extends ValueProfile {
  inside: Map<string, Node>;
}

/** Makes the profiles of all attributes in one pass, in the order of their first values. */
export function profileValues(records: Iterable<JsonObject>): ReadonlyMap<string, ValueProfile> {
  const root = makeNode('');
  for (const record of records) addObject(root, record);
  const profiles = new Map<string, ValueProfile>();
  collect(root, profiles);
  return profiles;
}

function makeNode(key: string): Node {
  return {
    key,
    numbers: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    choices: new Map(),
    texts: 0,
    categories: new Set(),
    inside: new Map(),
  };
}

function collect(node: Node, profiles: Map<string, ValueProfile>): void {
  if (node.numbers > 0 || node.texts > 0) profiles.set(node.key, node);
  for (const inner of node.inside.values()) collect(inner, profiles);
}

function addObject(node: Node, object: JsonObject): void {
  for (const name of Object.keys(object)) {
    let inner = node.inside.get(name);
    if (inner === undefined) {
      inner = makeNode(node.key === '' ? name : `${node.key}.${name}`);
      node.inside.set(name, inner);
    }
    addValue(inner, object[name] as Json);
  }
}

function addValue(node: Node, value: Json): void {
  if (typeof value === 'number') {
    node.numbers++;
    if (value < node.min) node.min = value;
    if (value > node.max) node.max = value;
    if (node.choices === undefined) return;
    node.choices.set(value, (node.choices.get(value) ?? 0) + 1);
    if (node.choices.size > MAX_CATEGORIES) node.choices = undefined;
  } else if (typeof value === 'string') {
    node.texts++;
    if (node.categories === undefined) return;
    node.categories.add(value);
    if (node.categories.size > MAX_CATEGORIES) node.categories = undefined;
  } else if (Array.isArray(value)) for (const element of value) addValue(node, element);
  else if (typeof value === 'object' && value !== null) addObject(node, value);
}
