import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { gameFiles, inFolder, withFolder, writeFiles } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';
import { withPrograms } from '../support/skip.ts';
import { UpstreamRepository } from '../support/upstream-repository.ts';
import { listen } from '../support/listen.ts';

const contributing = suite('a contribution');
const test = withPrograms(contributing, 'git');

const run = promisify(execFile);

interface Step {
  name?: string;
  run?: string;
  'working-directory'?: string;
  env?: Record<string, string>;
}

/** The step of a workflow with this name, as GitHub runs it. Returns whether it succeeded, and what it printed. */
async function runStep(workflow: string, name: string, folder: string, env: Record<string, string>) {
  const { jobs } = parse(await readFile(path.join(ROOT, '.github/workflows', workflow), 'utf8'));
  const steps = Object.values(jobs as Record<string, { steps: Step[] }>).flatMap((job) => job.steps);
  const step = steps.find((each) => each.name === name);
  assert.ok(step?.run, `${workflow}: ${name}`);
  const known = Object.fromEntries(Object.keys(step.env ?? {}).map((key) => [key, env[key] ?? 'absent']));
  const options = {
    cwd: path.join(folder, step['working-directory'] ?? ''),
    env: { PATH: process.env.PATH, ...env, ...known },
  };
  return await run('bash', ['-e', '-c', step.run], options).then(
    ({ stdout }) => ({ ok: true, stdout }),
    ({ stdout, stderr }) => ({ ok: false, stdout: `${stdout}${stderr}` }),
  );
}

/** What GitHub has of a pull request: its files and its comments. */
interface Hub {
  address: string;
  files: { filename: string }[];
  comments: { id: number; user: { login: string }; body: string }[];
}

/** Responds as the API of GitHub does to what `.ci/post-review.mjs` asks. */
async function startHub(): Promise<Hub> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const { body } = text === '' ? { body: '' } : JSON.parse(text);
    const pageOf = <T>(items: readonly T[]) => {
      const page = Number(new URL(request.url ?? '', 'http://a').searchParams.get('page') ?? 1);
      return items.slice(100 * (page - 1), 100 * page);
    };
    const [, asked = ''] = /^\/repos\/org\/games(.*)$/.exec(request.url ?? '') ?? [];
    if (request.headers.authorization !== 'Bearer token') send(401, {});
    else if (asked.startsWith('/pulls/7/files')) send(200, pageOf(hub.files));
    else if (request.method === 'POST' && asked === '/issues/7/comments') {
      hub.comments.push({ id: 41, user: { login: 'github-actions[bot]' }, body });
      send(201, {});
    } else if (request.method === 'PATCH' && asked === '/issues/comments/41') {
      for (const comment of hub.comments) if (comment.id === 41) comment.body = body;
      send(200, {});
    } else if (asked.startsWith('/issues/7/comments')) send(200, pageOf(hub.comments));
    else send(404, {});
  });
  const hub: Hub = {
    address: await listen(server),
    files: [{ filename: 'data/game/1.1/build.json' }],
    comments: [{ id: 1, user: { login: 'eve' }, body: '<!-- review of data --> All is well.' }],
  };
  return hub;
}

interface Place {
  folder: string;
  /** The project of the owner, and the clone that the workflow checks out as `change`. */
  project: UpstreamRepository;
  change: string;
  review(): ReturnType<typeof runStep>;
  /** review.md, as the artifact has it. */
  reviewed(): Promise<string>;
}

/** Two clones of a project with a game: of the stranger, and of the workflow. */
async function withContribution(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder({}, async (folder) => {
    const project = await UpstreamRepository.create(path.join(folder, 'project'));
    const units = [{ id: 'ann', name: 'Ann', stats: { hp: 100, atk: 20 } }];
    await writeFiles(project.folder, inFolder('data/game', gameFiles({ '1.0/characters.json': units })));
    const cli = path.join(ROOT, 'build/scripts/cli.js');
    await run(process.execPath, [cli, 'build', '--out', '../dist', '--no-cache'], { cwd: project.folder });
    const base = await project.commit('Add a game', '2026-01-01T00:00:00Z', {});
    await project.git(['clone', '--quiet', project.folder, path.join(folder, 'change')]);
    // The program of the base is this one.
    await symlink(ROOT, path.join(folder, 'base'));
    await use({
      folder,
      project,
      change: path.join(folder, 'change'),
      review: () => runStep('review.yml', 'Check and review', folder, { BASE: base }),
      reviewed: () => readFile(path.join(folder, 'review/review.md'), 'utf8'),
    });
  });
}

test('is reviewed by the workflow, which fails if a past build is rewritten', async () => {
  await withContribution(async ({ change, review, reviewed }) => {
    const build = { 'data/game/1.1/build.json': { released_at: '2026-02-01' } };
    const units = (hp: number) => [{ id: 'ann', name: 'Ann', stats: { hp, atk: 20 } }];
    await writeFiles(change, { ...build, 'data/game/1.1/characters.json': units(105) });
    const fine = await review();
    assert.is(fine.ok, true, fine.stdout);
    assert.match(await reviewed(), /^The check passed\.\n\n## `game` `1\.0` → `1\.1`/);
    assert.match(await reviewed(), '| `ann Ann` | `stats.hp` | `100` | `105` (+5%) |');
    await writeFiles(change, { 'data/game/1.0/characters.json': units(90) });
    await writeFile(path.join(change, 'data/game/builds.lock.json'), '{"builds": {}}');
    assert.is((await review()).ok, false);
    assert.match(
      await reviewed(),
      /^\*\*The check found errors\.\*\*\n\n[\s\S]*`100` \| `90` \(-10%\)[\s\S]*\(recorded-build\)/,
    );
  });
});

test('gets its review as one comment, whatever the artifact says', async () => {
  await withContribution(async ({ folder, project }) => {
    const head = await project.git(['rev-parse', 'HEAD']);
    const hub = await startHub();
    const repository = { html_url: 'https://github.com/org/games' };
    await writeFiles(folder, {
      'event.json': { pull_request: { number: 7, head: { sha: head } }, repository },
      'review/number': '8',
      'review/review.md': 'The check passed. @owner <img src=x>\n',
    });
    await symlink(path.join(ROOT, '.ci'), path.join(folder, '.ci'));
    const post = () =>
      runStep('review.yml', 'Post', folder, {
        GITHUB_RUN_ID: '5',
        GITHUB_API_URL: hub.address,
        GITHUB_REPOSITORY: 'org/games',
        GITHUB_EVENT_PATH: path.join(folder, 'event.json'),
        GH_TOKEN: 'token',
      });
    const first = await post();
    assert.is(first.stdout, 'made the comment of pull request 7\n');
    assert.match(
      hub.comments[1]?.body ?? '',
      /^<!-- review of data -->\nThe check passed\. @\u2060owner <\u2060img src=x>\n/,
    );
    hub.files.push({ filename: '.github/workflows/review.yml' });
    assert.is((await post()).stdout, 'changed the comment of pull request 7\n');
    assert.is(hub.comments.length, 2);
    assert.match(hub.comments[1]?.body ?? '', /\*\*This change has files outside of data\/ \(1\)\.\*\*/);
    assert.is(hub.comments[0]?.body, '<!-- review of data --> All is well.');
    // What is on later pages counts too.
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ filename: `data/${n}.json` }));
    hub.files.unshift(...many(150));
    hub.comments.unshift(
      ...Array.from({ length: 150 }, (_, id) => ({ id: id + 100, user: { login: 'eve' }, body: 'Hi.' })),
    );
    assert.is((await post()).stdout, 'changed the comment of pull request 7\n');
    assert.match(hub.comments[151]?.body ?? '', /files outside of data\/ \(1\)/);
    hub.files.splice(0, Infinity, ...many(3000));
    await post();
    assert.match(hub.comments[151]?.body ?? '', /\*\*This change has 3000 files or more/);
  });
});

test('can name nobody, link nowhere and hold no HTML in its comment', async () => {
  const module = pathToFileURL(path.join(ROOT, '.ci/post-review.mjs')).href;
  const { neutralise } = (await import(module)) as { neutralise: (text: string) => string };
  const hostile = [
    '@org/team <script> </b> <!-- &lt; [a](https://a.example) ![b](x) [c]: https://a.example <https://a.example>',
    'www.a.example eve@a.example #12 GH-12 org/games#3 \u202e\u0000\r',
    '```mermaid',
    'click a "x"',
    '```',
    '```json',
    '{}',
    '```',
    '- ~~~ geojson',
    '~~~',
    '1. ```topojson',
    '```',
    '$x$ $$y$$',
  ].join('\n');
  const text = neutralise(hostile);
  assert.not.match(
    text,
    /@\w|<[\w/!]|&\w|\]\(|\]:|:\/\/|www\.a|#\d|GH-\d|mermaid|geojson|topojson|\$\w|[\u202e\0\r]/,
  );
  assert.match(text, '```json\n{}\n```');
  assert.is(neutralise('x'.repeat(100_000)).length, 60_000);
  // Replacements make it longer; a block of code that is cut is closed.
  const long = neutralise(`\`\`\`json\n${'<@#1\n'.repeat(20_000)}`);
  assert.ok(long.length < 61_100);
  assert.match(long, /1\n```$/);
  assert.match(neutralise(`${'`'.repeat(59_000)}\n${'<'.repeat(900)}`), /^$/);
  const table = '| `ann Ann` | `stats.hp` | `100` | `150` (+50%) |\n\n## `game` `1.0` → `1.1`';
  assert.is(neutralise(table), table);
});

contributing.run();
