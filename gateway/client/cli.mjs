#!/usr/bin/env node
// The command of the client's package: it prints the types of a game, which a gateway has at /types/{game}.d.ts.
import { parseArgs } from 'node:util';

const HELP = `usage: game-data-read-api-client types --url <gateway> --game <slug>

Prints the types of a game, which the client checks programs by. They are of the build that free keys see; no key is needed.

  npx game-data-read-api-client types --url https://api.example.org --game genshin-impact > genshin-impact.d.ts
`;

/** Reads the words of the command. @throws Error with what is wrong */
function readWords(words) {
  const options = {
    url: { type: 'string' },
    game: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  };
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
  if (values.help) return undefined;
  const [command = ''] = positionals;
  if (positionals.length !== 1 || command !== 'types')
    throw new Error(`"${positionals.join(' ')}" is not a command, expected types`);
  const { url = '', game = '' } = values;
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url))
    throw new Error(`--url is "${url}", expected the address of a gateway, such as https://api.example.org`);
  if (!/^[a-z0-9-]+$/.test(game))
    throw new Error(`--game is "${game}", expected a slug, such as genshin-impact`);
  return new URL(`types/${game}.d.ts`, url.endsWith('/') ? url : `${url}/`);
}

/** Requests the types. @throws Error with what is wrong, and what to do */
async function fetchTypes(address) {
  let response;
  try {
    response = await fetch(address);
  } catch (error) {
    throw new Error(`cannot reach ${address} (${error.cause?.message ?? error.message}): check --url`);
  }
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('application/typescript')) return await response.text();
  const problem = type.startsWith('application/problem+json') ? await response.json() : {};
  throw new Error(
    problem.detail ??
      `${address} is no gateway with types (status ${response.status}, "${type}"): check --url`,
  );
}

/** Reports an error in one line, and ends the command. */
function fail(error, code) {
  process.stderr.write(`game-data-read-api-client: ${error.message}\n`);
  process.exitCode = code;
}

try {
  const address = readWords(process.argv.slice(2));
  if (address === undefined) process.stdout.write(HELP);
  else
    await fetchTypes(address).then(
      (types) => process.stdout.write(types),
      (error) => fail(error, 1),
    );
} catch (error) {
  fail(new Error(`${error.message}\n\n${HELP.trimEnd()}`), 2);
}
