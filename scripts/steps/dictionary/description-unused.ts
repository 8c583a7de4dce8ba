import type { CompiledBuild } from '../../compile/compile-build.ts';
import { type CollectionSurvey, surveyBuild, visitSurvey } from '../../dictionary/survey.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { suggestFix } from '../../lib/nearest.ts';
import { EVERY_COLLECTION } from '../../read/game/attribute-definition.ts';
import type { ContentCheck } from '../content/content.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import { dictionaryExample, placeOfDictionary } from './dictionary.ts';

const described = { description: 'What it is.' };
const records = exampleRecords(3, (index) => ({ atk: index }));

export const descriptionUnusedCheck: ContentCheck = {
  name: 'description-unused',
  description: 'Every attribute that the dictionary describes is served by a build, or named in the mapping.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  lasting: 'always',
  passes: dictionaryExample({ '*': described }, records),
  fails: dictionaryExample({ '*': described, akt: described }, records),
  check({ build }) {
    const { attributes = {} } = build.source.definition;
    const surveys = surveyBuild(build);
    return Object.entries(attributes).flatMap(([collection, definitions]): StepFinding[] => {
      const lists = collection === EVERY_COLLECTION ? [...surveys.values()] : [surveys.get(collection)];
      if (lists[0] === undefined)
        return [describe(build, [collection], `"${collection}", which no build has`, surveys.keys())];
      const served = lists.flatMap((list) => (list ? keysOf(list) : []));
      const isNeeded = (key: string) => isServed(key, served) || isMapped(key, build);
      return Object.keys(definitions)
        .filter((key) => !isNeeded(key))
        .map((key) =>
          describe(build, [collection, key], `"${key}" in ${collection}, which no record has`, served),
        );
    });
  },
};

/** Whether the mapping has all names of a key: it may make the attribute when a table has other rows. */
function isMapped(key: string, { source }: CompiledBuild): boolean {
  const { roster, datasets, helpers } = source.definition;
  const names = new Set(JSON.stringify([roster, datasets, helpers]).match(/[\p{L}_][\p{L}\p{N}_]*/gu));
  const steps = key.split('.').filter((name) => name !== '*');
  return steps.length > 0 && steps.every((name) => names.has(name));
}

function describe(
  build: CompiledBuild,
  names: readonly string[],
  what: string,
  others: Iterable<string>,
): StepFinding {
  const { file, pointer } = placeOfDictionary(build);
  const fix = suggestFix(names.at(-1) ?? '', others).fix ?? 'remove it, or serve the attribute';
  return {
    of: names.join('.'),
    place: { file, pointer: pointerTo(pointer, ...names) },
    found: `a description of ${what}`,
    expected: 'descriptions of what at least one build serves',
    fix,
  };
}

/** The dotted keys of all attributes of a collection. */
function keysOf({ attributes }: CollectionSurvey): string[] {
  const keys: string[] = [];
  visitSurvey(attributes, ({ key }) => keys.push(key) > 0);
  return keys;
}

/** Whether a key of the dictionary is that of an attribute; a step of it may be `*`. */
function isServed(key: string, served: readonly string[]): boolean {
  if (served.includes(key)) return true;
  const steps = key.split('.');
  if (!steps.includes('*')) return false;
  return served.some((other) => {
    const names = other.split('.');
    return names.length === steps.length && steps.every((step, at) => step === '*' || step === names[at]);
  });
}
