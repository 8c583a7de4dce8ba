// Preloaded into every process of the recorded world: the time is that of a file, so that a test can stop and move it.
// Its path is in the address of this module, which workers inherit although they get no environment.
import { statSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const RealDate = Date;
const now = () => Math.round(statSync(file).mtimeMs);
const started = now();

globalThis.Date = new Proxy(RealDate, {
  construct: (_target, args: [], newTarget) =>
    Reflect.construct(RealDate, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
performance.now = () => now() - started;
