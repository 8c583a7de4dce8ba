import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** How long the receiver of webhooks takes to respond, in ms, and the share of requests to which it never responds. */
const [, , delay = '300', hanging = '0.03'] = process.argv;
let received = 0;
let first = 0;
let last = 0;

// POST: an event, to which it responds late or never. GET: how many events came, and the ms between the first and the last.
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ received, ms: last - first }));
    return;
  }
  request.resume().on('end', () => {
    last = performance.now();
    if (received++ === 0) first = last;
    if (Math.random() < Number(hanging)) return;
    setTimeout(() => response.writeHead(204).end(), Number(delay));
  });
});
announce(server);
