import { suite } from 'uvu';
import { mappedAsIs, testFindings } from './cases.ts';

const test = suite('check roster-size');

testFindings(test, 'one character is enough', { '1.0/characters.json': [{ id: 'a', name: 'A' }] }, []);
testFindings(test, 'an empty roster is a finding in its file', { '1.0/characters.json': [] }, [
  'roster-size 1.0/characters.json:1',
]);
testFindings(test, 'no roster at all is a finding at the build', { '1.0/characters.json': undefined }, [
  'roster-size 1.0/build.json:1',
]);
testFindings(
  test,
  'a mapping that keeps no row is a finding at the mapping',
  mappedAsIs('characters', '[]'),
  ['roster-size game.json:1 /roster'],
);

test.run();
