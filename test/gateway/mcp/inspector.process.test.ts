import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { withPrograms } from '../../support/skip.ts';

const INSPECTOR = 'mcp-inspector';
const inspector = suite('the CLI of the MCP inspector');

withPrograms(inspector, INSPECTOR)('lists tools and resources, and calls one', async () => {
  const gateway = await startGateway(SAMPLE_GAMES);
  const inspect = async (...args: string[]): Promise<string> => {
    const server = ['--cli', `${gateway.address}/mcp`, '--transport', 'http'];
    const key = ['--header', `X-API-Key: ${gateway.keys.pro}`];
    const { stdout } = await promisify(execFile)(INSPECTOR, [...server, ...key, ...args]);
    return stdout;
  };
  try {
    const [tools, resources, called] = await Promise.all([
      inspect('--method', 'tools/list'),
      inspect('--method', 'resources/list'),
      inspect(
        '--method',
        'tools/call',
        '--tool-name',
        'get_character',
        '--tool-arg',
        'game=star-rail',
        'id=unit-1',
      ),
    ]);
    const names = (JSON.parse(tools) as { tools: { name: string }[] }).tools.map(({ name }) => name);
    assert.ok(names.includes('list_games') && names.includes('stat_series'), tools);
    assert.match(resources, /gamedata:\/\/games/);
    const { structuredContent } = JSON.parse(called) as { structuredContent: { result: object } };
    assert.equal(structuredContent.result, (await gateway.ask('/api/star-rail/characters/unit-1')).json());
  } finally {
    await gateway.stop();
  }
});

inspector.run();
