import path from 'node:path';
import type { CompiledBuild } from '../../../core/compile/compile-build.ts';
import type { Place } from '../../../core/findings/findings.ts';
import type { Json, JsonObject } from '../../../core/format/dist-format.ts';
import type { Example } from '../rule.ts';

/** An example with a dictionary that describes `characters` and what every build has, and with these characters. */
export function dictionaryExample(characters: JsonObject, records: Json): Example {
  const described = { description: 'What it is.' };
  return {
    'game.json': {
      title: 'Game',
      attributes: { characters, pull_planner: { '*': described, '*.*': described } },
    },
    '1.0/characters.json': records,
  };
}

/** Where a finding about the dictionary is. */
export function placeOfDictionary({ source }: CompiledBuild): Place {
  return { file: path.posix.join(path.posix.dirname(source.folder), 'game.json'), pointer: '/attributes' };
}
