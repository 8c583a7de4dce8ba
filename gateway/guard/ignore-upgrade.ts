import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/**
 * Responds to requests for another protocol as to any other: they are parsed again without their Upgrade field. Without this, node:http
 * responds to them, but drops the requests that a client has already sent behind them.
 * `rest` is all that follows the head, also a body.
 */
export function ignoreUpgrades(server: Server, connections: Connections): void {
  server.on('upgrade', (request, stream, rest) => {
    const socket = stream as Socket;
    // At once: a stream without data would end if the client closes its side meanwhile.
    socket.unshift(Buffer.concat([headOf(request), rest]));
    // node:http has removed its own listeners, which the responses before this one still need.
    const listeners = {
      error: () => {},
      timeout: () => server.emit('timeout', socket),
      drain: () => connections.firstOn(socket)?.emit('drain'),
    };
    for (const [name, listener] of Object.entries(listeners)) socket.on(name, listener);
    connections.whenIdle(socket, () => {
      for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
      server.emit('connection', socket);
    });
  });
}

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') head += `${name}: ${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
