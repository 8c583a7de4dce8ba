import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileExpression } from '../scripts/compile/expression.ts';
import { LIBRARY } from '../scripts/compile/library/library.ts';
import { compileMappings } from '../scripts/compile/mapping.ts';
import { gameSchema, type RawGameDefinition } from '../scripts/read/definition.ts';
import { defineBuilds } from '../scripts/read/definition-of-builds.ts';
import { listExpressionFiles } from '../scripts/read/expression-files.ts';
import { parseJson } from '../scripts/read/json.ts';
import { checkSchema, compileSchema } from '../scripts/schema.ts';
import { startProcess } from './command.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const readme = suite('README');

interface Block {
  language: string;
  text: string;
}

async function readBlocks(): Promise<Block[]> {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

const NOT_CHECKED_OUT = new Set(['node_modules', 'build', 'dist', 'var', '.git']);

/** A checkout as it is after its packages are installed, to write into at will. */
async function makeCheckout(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'readme-'));
  const filter = (source: string) => !NOT_CHECKED_OUT.has(path.relative(ROOT, source));
  await cp(ROOT, folder, { recursive: true, filter });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const prepared = await startProcess('npm', ['run', 'prepare'], { cwd: folder }).ended;
  assert.is(prepared.code, 0, prepared.stderr);
  return folder;
}

readme('does what it says, command by command', async () => {
  const [quickStart, ...blocks] = await readBlocks();
  assert.is(quickStart?.text, 'npm ci && npm start\n');
  const folder = await makeCheckout();
  const gateway = startProcess('npm', ['start'], { cwd: folder, env: { GATEWAY_PORT: '0' }, detached: true });
  const prefix = path.join(folder, 'var', 'prefix');
  try {
    const printed = await gateway.printed(/curl .*X-API-Key: (gdr_\w+)' '(http:\/\/[^/]+)\//);
    const [, key = '', address = ''] = printed;
    const env = {
      KEY: key,
      npm_config_prefix: prefix,
      PATH: `${path.join(prefix, 'bin')}:${process.env.PATH}`,
    };
    await mkdir(prefix, { recursive: true });
    let output = '';
    for (const { language, text } of blocks) {
      if (language === 'sh') {
        const script = text.replaceAll('http://127.0.0.1:3000', address);
        const { stdout, stderr } = await startProcess('bash', ['-c', script], { cwd: folder, env }).ended;
        output = stdout + stderr;
        assert.ok(output !== '' || text.startsWith('mkdir'), text);
      } else if (language === 'json') {
        assert.equal(JSON.parse(output), JSON.parse(text));
      } else if (language === 'text') {
        assert.fixture(output.slice(-text.length), text);
      }
    }
    assert.is(blocks.filter(({ language }) => language === 'json').length, 3);
  } finally {
    process.kill(-(gateway.child.pid as number), 'SIGTERM');
    await gateway.ended;
    await rm(folder, { recursive: true });
  }
});

readme('shows a definition that the compiler takes', async () => {
  const [definition] = (await readBlocks()).filter(({ language }) => language === 'jsonc');
  const parsed = parseJson(definition?.text ?? '', 'README.md');
  assert.ok('value' in parsed);
  assert.equal(
    checkSchema(compileSchema(gameSchema), parsed.value, 'definition', { file: 'README.md', pointer: '' }),
    [],
  );
  const raw = parsed.value as unknown as RawGameDefinition;
  const builds = ['1.0', ...(raw.changes ?? []).map(({ from }) => from)];
  const texts = new Map(listExpressionFiles(raw).map(({ file }) => [file, '{}']));
  const { value: definitions, findings } = defineBuilds(raw, 'game.json', builds, texts);
  assert.equal(findings, []);
  const sources = definitions.map((definition, index) => ({
    ...{ build: builds[index] as string, folder: 'x', released_at: '2026-01-01', note: null, removed: [] },
    definition,
  }));
  assert.equal(compileMappings({ folder: 'x', builds: sources }).findings, []);
});

readme('has every function of the library with an example that holds', async () => {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const table = text.slice(text.indexOf('| function |')).split('\n\n')[0] ?? '';
  const rows = [...table.matchAll(/^\| `\$(\w+)\(.*\| `([^`]+)` \| `([^`]+)` \|$/gm)];
  assert.equal(
    rows.map(([, name]) => name),
    Object.keys(LIBRARY),
  );
  for (const [, name, example = '', gives = ''] of rows) {
    assert.ok(example.startsWith(`$${name}(`));
    const compiled = compileExpression(example, { file: 'README.md', pointer: '' });
    assert.ok('value' in compiled);
    assert.equal(await compiled.value.evaluate({}, {}), JSON.parse(gives));
  }
});

readme('lists every dependency and nothing else', async () => {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const table = text.slice(text.indexOf('| dependency |'));
  const listed = [...table.matchAll(/^\| ([a-z-]+) \|/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'dependency');
  const { dependencies } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  assert.equal(listed, Object.keys(dependencies).sort());
});

readme('names the scripts that exist', async () => {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  assert.match(text, '`npm ci && npm test`');
  const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  assert.ok(scripts.test && scripts.start);
});

readme.run();
