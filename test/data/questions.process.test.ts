import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../scripts/compile/game.ts';
import { planIndex } from '../../scripts/dist/plan.ts';
import { writeDist } from '../../scripts/dist/write-dist.ts';
import { gameFiles, inFolder } from '../support/fixtures.ts';
import { startGateway, type TestGateway } from '../support/harness.ts';
import { DATA } from '../support/paths.ts';
import { table } from '../support/table.ts';

/** The games that the questions are about, with as many of their builds as the questions need. */
const GAMES = { 'genshin-impact': 2, 'honkai-star-rail': 1, 'pokemon-tcg-pocket': 1 };
/** After the newest build of all games. */
const START = Date.parse('2026-11-01T00:00:00Z');

const trial = suite<{ gateway: TestGateway; client: Client }>('questions of players');
trial.before(async (context) => {
  const plans = await Promise.all(
    Object.entries(GAMES).map(async ([slug, newest]) => {
      const { value } = await compileGame(`${DATA}/${slug}`, slug, { only: { names: [], newest } });
      assert.ok(value, slug);
      return value;
    }),
  );
  const prepare = (dist: string) => writeDist(dist, plans, planIndex(plans, []), undefined).then(() => {});
  context.gateway = await startGateway(inFolder('game', gameFiles()), { prepare, start: START });
  context.client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'X-API-Key': context.gateway.keys.pro } };
  const url = new URL(`${context.gateway.address}/mcp`);
  await context.client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
});
trial.after(async ({ client, gateway }) => {
  await client.close();
  await gateway.stop();
});

/** What players ask, the tool with its arguments, and what the result has. The costs need the id, which a search finds first. */
const QUESTIONS = table`
  What does it cost to ascend Hu Tao to level 90? | search | {"q":"hu tao","games":["genshin-impact"]} | "id":"10000046"
  And with that id? | get_costs | {"game":"genshin-impact","id":"10000046","from":1,"to":90,"talents":["1"]} | "total":[{"id":"202","name":"Mora","count":420000}
  Which 4-star Hydro healers are there? | query_dataset | {"game":"genshin-impact","filter":["effects.kind=heal","element=Hydro","rarity=4"],"fields":["name"]} | "characters":[{"id":"10000014","name":"Barbara"},{"id":"10000025","name":"Xingqiu"}]
  When is the next rate-up of Hu Tao? None is known after that of 5.1 | query_dataset | {"game":"genshin-impact","dataset":"banners","filter":["featured.name=Hu Tao"],"sort":"-start","limit":1} | "start":"2024-10-29
  What does the ultimate of Acheron do? | query_dataset | {"game":"honkai-star-rail","dataset":"skills","q":"Acheron: Ultimate"} | "text":"Slashed Dream Cries in Red: deals damage of 72–144% of ATK to all enemies"
  Which cards have at least 150 HP? | query_dataset | {"game":"pokemon-tcg-pocket","filter":["stats.hp[gte]=150"],"fields":["name","stats.hp"],"limit":1} | "total":338
  Which attack deals the most damage for one energy? | query_dataset | {"game":"pokemon-tcg-pocket","dataset":"attacks","filter":["energy=1"],"sort":"-damage","limit":1} | "card_name":"Rampardos"
  When was Engulfing Lightning last featured? | query_dataset | {"game":"genshin-impact","dataset":"banners","filter":["featured_weapons.name=Engulfing Lightning"],"sort":"-start","limit":1} | "id":"6.7-2-weapon"
  What changed in 6.7? | patch_history | {"game":"genshin-impact","limit":1} | "new":{"count":1,"first":[{"id":"10000133","name":"Sandrone"}
`;

for (const [question = '', tool = '', given = '', expected = ''] of QUESTIONS)
  trial(`${question} ${tool}`, async ({ client }) => {
    const result = await client.callTool({
      name: tool,
      arguments: JSON.parse(given) as Record<string, unknown>,
    });
    const [{ text = '' } = {}] = result.content as { text?: string }[];
    assert.ok(text.includes(expected), text);
  });

trial.run();
