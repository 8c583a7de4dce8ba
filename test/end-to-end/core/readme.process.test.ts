import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STEP_CHECKS } from '../../../scripts/check/steps/step-checker.ts';
import { compileExpression } from '../../../scripts/compile/expression.ts';
import { LIBRARY } from '../../../scripts/compile/library/library.ts';
import { compileMappings } from '../../../scripts/compile/mapping.ts';
import type { BuildDefinition, RawGameDefinition } from '../../../scripts/read/definition.ts';
import { defineBuilds } from '../../../scripts/read/definition-of-builds.ts';
import { buildSchema, gameSchema } from '../../../scripts/read/definition-schemas.ts';
import { listExpressionFiles } from '../../../scripts/read/expression-files.ts';
import { parseJson } from '../../../scripts/read/json.ts';
import { checkSchema, compileSchema } from '../../../scripts/schemas/schema.ts';
import { withCheckout } from '../../support/checkout.ts';
import { type Ended, startProcess } from '../../support/command.ts';
import { checkEvent } from '../../support/open-api-check.ts';
import { ROOT } from '../../support/paths.ts';

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

/** What blocks print, by what they hold; of the others the block after them tells. */
const PRINTED: [RegExp, RegExp][] = [
  [
    /^mkdir -p data\/my-game/,
    /^1 game, 1 build, 2 characters, 1 dataset, \d\.\d\d MB \(\d\.\d\d MB new\) in \d+\.\d s$/m,
  ],
  [
    /^mkdir -p dump/,
    /^roster: units \(id uid; name name; rarity rarity; stats maxHp\)$[\s\S]*^data\/our-game\/1\.0: 2 new, .*$[\s\S]*"hp": 900[\s\S]*^1 game, 1 build, 1 character, 2 datasets, /m,
  ],
  [
    /gateway keys issue/,
    /^gdr_[a-z2-7]+\n\nThe key of someone@example\.org, pro until 2099-01-31T00:00:00\.000Z,/,
  ],
  [/email=ada/, /on its way[\s\S]*^gdr_[a-z2-7]{39}<\/code>$/m],
  [
    /email=bob/,
    /on its way[\s\S]*(?:^games: 200\n){10}games: 429\nzenless-zone-zero\/history: 200\nemail +bob@example\.org\ntier +pro\npro_until +2099-07-01T00:00:00\.000Z$/m,
  ],
  [/accounts show someone/, /^email +someone@example\.org\ntier +pro$/m],
  [
    /gateway follows add/,
    /^genshin-impact\nnew_games\nwhsec_\S+\n[\s\S]*^\/feeds\/gdf_[a-z2-7]{32}$[\s\S]*^webhook +https:\/\/example\.org\/hooks\/games$/m,
  ],
  [/gateway keys list/, /^gdr_[a-z2-7]{8} +someone@example\.org +pro +2099-01-31T00:00:00\.000Z .* -$/m],
];

const PATREON = { PATREON_WEBHOOK_SECRET: 'any text', PATREON_MIN_CENTS: '500' };

readme('does what it says, command by command', async () => {
  const [quickStart, ...blocks] = await readBlocks();
  assert.is(quickStart?.text, 'npm ci && npm start\n');
  await withCheckout(async (folder) => {
    // What npm ci does besides installing packages.
    const prepared = await startProcess('npm', ['run', 'prepare'], { cwd: folder }).ended;
    assert.is(prepared.code, 0, prepared.stderr);
    const gateway = startProcess('npm', ['start'], {
      cwd: folder,
      env: { GATEWAY_PORT: '0', ...PATREON },
      detached: true,
    });
    try {
      const printed = await gateway.printed(/curl .*X-API-Key: (gdr_\w+)' '(http:\/\/[^/]+)\//);
      const [, key = '', address = ''] = printed;
      const [, proKey = ''] = await gateway.printed(/X-API-Key: (gdr_\w+)' '\S+\/history/);
      const prefix = path.join(folder, 'var', 'prefix');
      await mkdir(prefix, { recursive: true });
      const env = {
        KEY: key,
        PRO_KEY: proKey,
        ...PATREON,
        npm_config_prefix: prefix,
        PATH: `${path.join(prefix, 'bin')}:${process.env.PATH}`,
      };
      for (const [index, { language, text }] of blocks.entries()) {
        if (language !== 'sh') continue;
        const script = text.replaceAll('http://127.0.0.1:3000', address);
        const ended = await startProcess('bash', ['-ec', script], { cwd: folder, env }).ended;
        checkPrinted(text, blocks[index + 1], ended);
      }
    } finally {
      process.kill(-(gateway.child.pid as number), 'SIGTERM');
      await gateway.ended;
    }
  });
  const languages = blocks.map(({ language }) => language);
  assert.equal(
    ['json', 'diff', 'text'].map((language) => languages.filter((name) => name === language).length),
    [5, 1, 1],
  );
  for (const [block] of PRINTED)
    assert.ok(
      blocks.some(({ text }) => block.test(text)),
      String(block),
    );
});

/** Commands succeed, but for those that are followed by the ```text of an error. */
function checkPrinted(script: string, next: Block | undefined, { code, stdout, stderr }: Ended): void {
  const output = stdout + stderr;
  assert.is(code, next?.language === 'text' ? 1 : 0, `${script}\n${output}`);
  if (next?.language === 'diff') assert.fixture(stdout, next.text);
  if (next?.language === 'json') assert.equal(JSON.parse(stdout), JSON.parse(next.text));
  if (next?.language === 'text') assert.fixture(output.slice(-next.text.length), next.text);
  for (const [block, expected] of PRINTED) {
    if (block.test(script)) assert.match(output, expected);
  }
}

readme('shows an event as it is sent', async () => {
  const events = (await readBlocks()).filter(({ text }) => text.includes('"build.released"'));
  assert.is(events.length, 1);
  for (const { text } of events) checkEvent(text);
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
    ...{ build: builds[index] as string, folder: 'x', released_at: '2026-01-01', note: null },
    ...{ removed: [], amended: [], overrides: [], schemas: new Map(), definition },
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

readme('lists every gate with what it holds to, and nothing else', async () => {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const table = text.slice(text.indexOf('| gate |')).split('\n\n')[0] ?? '';
  assert.equal(
    [...table.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name, description]) => ({
      name,
      description,
    })),
    STEP_CHECKS.map(({ name, description }) => ({ name, description })),
  );
});

readme('shows a build with an override that the compiler takes', async () => {
  const block = (await readBlocks()).find(({ text }) => text.includes('"overrides"'));
  const parsed = parseJson(block?.text ?? '', 'README.md');
  assert.ok('value' in parsed);
  const place = { file: 'README.md', pointer: '' };
  assert.equal(checkSchema(compileSchema(buildSchema), parsed.value, 'definition', place), []);
  const { overrides } = parsed.value as unknown as BuildDefinition;
  assert.ok(STEP_CHECKS.some(({ name }) => name === overrides[0]?.check));
});

readme('lists every dependency and nothing else', async () => {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const table = text.slice(text.indexOf('| dependency |'));
  const listed = [...table.matchAll(/^\| ([a-z0-9.@/-]+) \|/gm)]
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
