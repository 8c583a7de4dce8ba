import path from 'node:path';
import type { CompiledBuild } from '../compile/compile-build.ts';
import {
  type CollectionSurvey,
  DefinitionsOf,
  type Surveyed,
  surveyAttributes,
  visitSurvey,
} from '../compile/dictionary.ts';
import type { Place } from '../findings.ts';
import type { AttributeKind, Scalar } from '../format/attributes.ts';
import type { AttributeDefinition } from '../read/game-schema.ts';
import { type ChangeCheck, type ChangeFinding, nameSome } from './data.ts';

// Checks that compare the attribute dictionary with the values of a build. A game without descriptions is not checked.

/** An attribute of a build, with its description in the dictionary. */
interface Served extends Surveyed {
  collection: string;
  definition: AttributeDefinition | undefined;
  collections: ReadonlyMap<string, CollectionSurvey>;
}

/** Visits the attributes of a build, an object before its members. @param visit returns whether to visit the members */
function visitServed(build: CompiledBuild, visit: (attribute: Served) => boolean): void {
  const { attributes } = build.source.definition;
  if (attributes === undefined) return;
  const collections = surveyAttributes(build);
  for (const [collection, survey] of collections) {
    const definitions = new DefinitionsOf(attributes, collection);
    visitSurvey(survey.attributes, (attribute) =>
      visit({ ...attribute, collection, definition: definitions.find(attribute.key), collections }),
    );
  }
}

function placeOfDictionary({ source }: CompiledBuild): Place {
  return { file: path.posix.join(path.posix.dirname(source.folder), 'game.json'), pointer: '/attributes' };
}

export const attributeUndescribedCheck: ChangeCheck = {
  name: 'attribute-undescribed',
  description: 'If a game describes its attributes, every attribute that it serves has a description.',
  warns: true,
  check({ build }) {
    const findings: ChangeFinding[] = [];
    visitServed(build, ({ key, count, collection, definition }) => {
      const isDescribed = definition?.description !== undefined;
      if (!isDescribed && count > 0)
        findings.push({
          ...{ of: `${collection}.${key}`, place: placeOfDictionary(build) },
          found: `no description of "${key}" in ${collection}`,
          expected: 'a description of each attribute that is served',
          fix: `describe it in game.json: {"attributes": {"${collection}": {"${key}": {"description": "…"}}}}`,
        });
      // The attributes inside an undescribed one have the same cause.
      return isDescribed;
    });
    return findings;
  },
};

export const attributeUnexpectedCheck: ChangeCheck = {
  name: 'attribute-unexpected',
  description:
    'The values of an attribute are as the dictionary says: in the range, one of the values, of the kind and its unit, ids of the collection, and images at the hosts that game.json names.',
  warns: true,
  check({ build }) {
    const findings: ChangeFinding[] = [];
    visitServed(build, ({ collection, definition, collections, key, values }) => {
      const report = (found: string, expected: string, count: number) =>
        findings.push({
          ...{ of: `${collection}.${key}`, place: placeOfDictionary(build), expected, count },
          found: `${found} in "${key}" of ${collection}`,
        });
      for (const [expected, isExpected] of expectations(definition ?? {}, collections, build)) {
        const wrong = [...values.keys()].filter((value) => !isExpected(value));
        if (wrong.length > 0)
          report(nameSome(wrong.map((value) => JSON.stringify(value))), expected, wrong.length);
      }
      if (definition?.kind !== 'percentage') return true;
      let largest = 0;
      for (const value of values.keys()) largest = Math.max(largest, Math.abs(Number(value)) || 0);
      if (largest > 0 && !isShownRight(largest, definition.unit))
        report(
          `at most ${largest} in the unit ${JSON.stringify(definition.unit ?? null)}`,
          'the unit "fraction: 0.05 is 5 %" if 0.05 is 5 %, or "%" if 5 is 5 %',
          1,
        );
      return true;
    });
    return findings;
  },
};

/** Whether a unit suits a percentage with this maximum: a fraction that a game shows, or hundredths above 1. */
function isShownRight(largest: number, unit = ''): boolean {
  return unit.startsWith('fraction') ? largest >= 0.005 : unit !== '' && largest > 1;
}

const isNumber = (value: Scalar) => typeof value === 'number';
const hasForm = (form: RegExp) => (value: Scalar) => typeof value === 'string' && form.test(value);

type Expectation = [expected: string, isExpected: (value: Scalar) => boolean];

const KINDS: Partial<Record<AttributeKind, Expectation>> = {
  number: ['numbers', isNumber],
  percentage: ['numbers', isNumber],
  date: ['dates in ISO 8601', hasForm(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/)],
  color: ['colors as #rrggbb', hasForm(/^#[0-9a-f]{6}$/i)],
  image: ['addresses of images', hasForm(/^https?:\/\//)],
};

function* expectations(
  { expected = {}, values, kind, ref }: AttributeDefinition,
  collections: ReadonlyMap<string, CollectionSurvey>,
  { source: { images } }: CompiledBuild,
): Generator<Expectation> {
  const { min = -Infinity, max = Infinity } = expected;
  if (min > -Infinity || max < Infinity)
    yield [
      `numbers from ${min} to ${max}, as the dictionary says`,
      (value) => Number(value) >= min && Number(value) <= max,
    ];
  const allowed = values && new Set(Array.isArray(values) ? values.map(String) : Object.keys(values));
  if (allowed) yield ['only values that the dictionary lists', (value) => allowed.has(String(value))];
  const form = kind && KINDS[kind];
  if (form) yield form;
  const hosts = images?.hosts ?? [];
  if (kind === 'image')
    yield [
      hosts.length > 0
        ? `images at ${hosts.join(', ')}`
        : '"images" in game.json, which says where the images are',
      (value) => !URL.canParse(String(value)) || hosts.includes(new URL(String(value)).host),
    ];
  // Earlier builds may lack the collection.
  const ids = ref === undefined ? undefined : collections.get(ref)?.attributes.get('id')?.values;
  if (ids) yield [`ids of ${ref}`, (value) => ids.has(value)];
}
