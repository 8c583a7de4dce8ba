import { describeRemaining } from '../model/quota.ts';
import { querySample, type RosterSample } from '../parts/query-sample.ts';
import { type Sender, type Shown, TryIt, type TryItProperties } from '../parts/try-it.tsx';
import { readKey } from './lib/key.ts';
import { mount } from './lib/mount.tsx';
import { requestApi } from './lib/request-api.ts';

const ROSTER = /^\/api\/([a-z0-9-]+)\/characters(?:\?(.*))?$/;
const NEEDS_KEY = 'Without a key, the example runs on the characters of one game.';

/** Sends a request with the key of this tab. Without one, it runs on the fixed sample of the game. */
const sender: Sender = {
  async send(path): Promise<Shown> {
    if (readKey() !== undefined && path.startsWith('/api/')) {
      const { status, body, remaining } = await requestApi(path);
      const left = describeRemaining(remaining);
      return { status, body, note: `From the API, with your key.${left === '' ? '' : ` ${left}.`}` };
    }
    const [, game, query = ''] = ROSTER.exec(path) ?? [];
    if (game === undefined) return { status: 401, body: refusal(path), note: NEEDS_KEY };
    const response = await fetch(`/games/${game}/sample.json`);
    const sample = (await response.json()) as RosterSample & { total: number };
    if (response.status !== 200) return { status: response.status, body: sample, note: 'From the sample.' };
    const { status, body } = querySample(sample, new URLSearchParams(query));
    const { length } = sample.characters;
    const note = `From the first ${length} of ${sample.total} characters. With a key, the same request searches all.`;
    return { status, body, note };
  },
};

function refusal(path: string): object {
  const detail = path.startsWith('/api/')
    ? 'this request needs a key; without one, try /api/{game}/characters with any filters'
    : 'expected a path that begins with /api/';
  return { title: 'No API key', status: 401, code: 'missing-key', detail };
}

mount<TryItProperties>('try-it', (properties) => <TryIt {...properties} sender={sender} />);
