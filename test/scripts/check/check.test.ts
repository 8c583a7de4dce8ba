import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { hashFolder } from '../commands/hash-folder.ts';

const test = suite('gamedata check');

const FILES = {
  ...inFolder('data/alpha', gameFiles()),
  ...inFolder('data/beta', gameFiles({ '1.0/characters.json': '[\n{"id": "a b", "name": "Ann"}\n]' })),
};

test('check prints what build would find, and writes nothing', async () => {
  await withFolder(FILES, async (cwd) => {
    const before = await hashFolder(cwd);
    const { code, stdout, stderr } = await runInProcess('gamedata', ['check'], { cwd });
    assert.is(code, 1);
    assert.match(stdout, /^error data\/beta\/1\.0\/characters\.json:2 \/0\/id \(character-schema\)\n/);
    assert.match(stderr, /^gamedata: 1 error found\n$/m);
    assert.equal(await hashFolder(cwd), before);
  });
});

test('a game without faults passes beside one with faults', async () => {
  await withFolder(FILES, async (cwd) => {
    const { code, stdout, stderr } = await runInProcess('gamedata', ['check', 'alpha'], { cwd });
    assert.equal(
      { code, stdout, stderr },
      {
        code: 0,
        stdout: [
          'alpha 1.0',
          '  characters: 1 record, 2 attributes',
          '    id    1/1  1 distinct',
          '    name  1/1  1 distinct',
          '  pull_planner: 1 record, 2 attributes',
          '    currency.name      1/1  1 distinct',
          '    currency.per_pull  1/1  160',
          '',
        ].join('\n'),
        stderr: 'alpha: 1 build, 1 character, 1 dataset\n',
      },
    );
  });
});

test('findings are printed as JSON', async () => {
  await withFolder({ ...FILES, 'data/alpha/1.0/READ-ME.json': {} }, async (cwd) => {
    const { code, stdout } = await runInProcess('gamedata', ['check', '--format', 'json'], { cwd });
    assert.is(code, 1);
    const { errors, warnings, findings } = JSON.parse(stdout);
    assert.equal([errors, warnings], [1, 1]);
    assert.equal(findings[1], {
      severity: 'error',
      check: 'character-schema',
      file: path.posix.join('data', 'beta/1.0/characters.json'),
      line: 2,
      pointer: '/0/id',
      found: 'the text "a b"',
      expected: findings[1].expected,
    });
    assert.match(findings[1].expected, 'URL-safe');
  });
});

test.run();
