import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sizeOfFolder } from '../../../scripts/system.ts';
import { withFolder } from '../../support/fixtures.ts';

const test = suite('the size of a folder');

test('is the sum of all files in it and below', () =>
  withFolder({ 'a.txt': 'abc', 'b/c/d.txt': 'é' }, async (folder) => {
    assert.is(sizeOfFolder(folder), 5);
    assert.is(sizeOfFolder(path.join(folder, 'b')), 2);
  }));

test('is 0 if the folder cannot be read', () =>
  withFolder({}, async (folder) => {
    assert.is(sizeOfFolder(folder), 0);
    assert.is(sizeOfFolder(path.join(folder, 'missing')), 0);
  }));

test.run();
