import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkArguments } from '../../../gateway/mcp/check-arguments.ts';
import { makeTools } from '../../../gateway/mcp/tools.ts';
import { ROUTES } from '../../support/routes.ts';

const tools = makeTools(ROUTES);
const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.input ?? {};

test('an argument that a tool does not have is named, however many there are', async () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field${at}`, at]));
  assert.match(
    String(await checkArguments(schemaOf('get_character'), { game: 'saga', id: '1', ...many })),
    /^"field0" is not an argument \(did you mean "fields"\?\)\. Expected: game \(required\), .{1,60}$/,
  );
});

test('a list has at most 2,000 entries, and what is wrong with them is described in a few words', async () => {
  const fields = (count: number) =>
    checkArguments(schemaOf('get_character'), { game: 'saga', id: '1', fields: Array(count).fill(1) });
  assert.match(String(await fields(2001)), /^fields has 2001 entries, expected at most 2000\. Expected: /);
  const described = String(await fields(2000));
  assert.match(described, /must be string/);
  assert.ok(described.length < 500, described);
});

test.run();
