import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/**
 * Returns the arguments with which Node.js runs openapi-typescript, before its own. It needs the API of TypeScript 5, which TypeScript 7 does
 * not have and `@ts-morph/common` contains: imports of "typescript" lead there.
 */
export function openApiTypescript(): string[] {
  const common = pathToFileURL(require.resolve('@ts-morph/common')).href;
  const typescript = module(`import common from '${common}'; export default common.ts;`);
  const hook = module(
    `export const resolve = (name, context, next) => name === 'typescript' ? next('${typescript}', context) : next(name, context);`,
  );
  const register = module(`import { register } from 'node:module'; register('${hook}');`);
  const main = path.join(path.dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');
  return ['--import', register, main];
}

/** Returns the address of a module that consists of its text. */
function module(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text).replaceAll("'", '%27')}`;
}
