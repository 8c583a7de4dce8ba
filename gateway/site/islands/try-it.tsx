import { describeRemaining } from '../model/quota.ts';
import { querySample } from '../parts/query-sample.ts';
import { type Sender, type Shown, TryIt, type TryItProperties } from '../parts/try-it.tsx';
import { readKey } from './lib/key.ts';
import { mount } from './lib/mount.tsx';
import { requestApi } from './lib/request-api.ts';

const ROSTER = /^\/api\/([a-z0-9-]+)\/characters(?:\?(.*))?$/;
const NEEDS_KEY = 'Without a key, the example runs on characters of';

/** Sends requests with the key of this tab. Without one, they run on the sample of a game. */
function makeSender(sample: TryItProperties['sample']): Sender {
  return {
    async send(path): Promise<Shown> {
      if (readKey() !== undefined && path.startsWith('/api/')) {
        const { status, body, remaining } = await requestApi(path);
        const left = describeRemaining(remaining);
        return { status, body, note: `From the API, with your key.${left === '' ? '' : ` ${left}.`}` };
      }
      const [, game, query = ''] = ROSTER.exec(path) ?? [];
      if (game !== sample.game)
        return { status: 401, body: refusal(path, sample.game), note: `${NEEDS_KEY} ${sample.game}.` };
      const { status, body } = querySample(sample, new URLSearchParams(query));
      const { length } = sample.characters;
      const note = `From the first ${length} of ${sample.total} characters. With a key, the same request searches all.`;
      return { status, body, note };
    },
  };
}

function refusal(path: string, game: string): object {
  const detail = path.startsWith('/api/')
    ? `this request needs a key; without one, try /api/${game}/characters with any filters`
    : 'expected a path that begins with /api/';
  return { title: 'No API key', status: 401, code: 'missing-key', detail };
}

mount<TryItProperties>('try-it', ({ sample, ...properties }) => (
  <TryIt {...properties} sender={makeSender(sample)} />
));
