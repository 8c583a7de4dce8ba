import type { ServerResponse } from 'node:http';
import { type MakeGuard, whenAssigned } from '../http/http-server.ts';
import { Refusals } from './client-error.ts';
import { Connections } from './connections.ts';
import { ignoreUpgrades } from './ignore-upgrade.ts';
import { dropRest } from './linger.ts';
import { UnsentBytes } from './unsent-bytes.ts';

/** What the clients of this process have not read yet. */
const unsent = new UnsentBytes();

/** Guards a server. */
export const guardServer: MakeGuard = ({ server, ids, maxTargetBytes, stallMs, receive, note }) => {
  const connections = new Connections(server, stallMs);
  ignoreUpgrades(server, connections);
  server.on('checkContinue', (message, response) => {
    sendContinue(response);
    receive(message, response);
  });
  const refusals = new Refusals({ maxTargetBytes, connections, ids, note });
  server.on('clientError', (error, stream) => refusals.refuseBytes(error, stream));
  server.on('connect', (request, stream) => refusals.refuseTunnel(request, stream));
  return {
    unsent,
    begin: connections.begin.bind(connections),
    drop: dropRest,
    end: connections.end.bind(connections),
    close: (graceMs) => connections.drain(graceMs),
  };
};

/** Sends 100 Continue after the previous response: node:http would write it between that response's head and body. */
function sendContinue(response: ServerResponse): void {
  whenAssigned(response, () => {
    if (!response.headersSent) response.writeContinue();
  });
}
