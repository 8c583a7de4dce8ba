import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { listen } from '../../support/listen.ts';

/** `GAMEDATA_WEBHOOK_SECRET` of those who send the notices. */
export const NOTICE_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface Notice {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** Starts a receiver of notices on this machine, which verifies each. */
export async function receiveNotices() {
  const received: Notice[] = [];
  const hook = { status: 204, address: '', received };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const headers = request.headers as Record<string, string>;
    received.push(new Webhook(NOTICE_SECRET).verify(body, headers) as Notice);
    response.writeHead(hook.status).end();
  });
  hook.address = await listen(server);
  return hook;
}
