import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IdentifiedResponse } from '../../../gateway/http/respond.ts';
import { startGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

// Repeats the HTTP tests with responses written by node:http. They need their own process, because the switch is global.

import '../../support/use-plain-http.ts';

import '../api/endpoints.test.ts';
import '../http/http.test.ts';
import '../http/repeat.test.ts';
import './fast-writer.test.ts';

test('without the fast path node:http writes the head of a response', async () => {
  const gateway = await startGateway(SAMPLE_GAMES);
  const { writeHead } = IdentifiedResponse.prototype;
  const statuses: number[] = [];
  IdentifiedResponse.prototype.writeHead = function (
    this: IdentifiedResponse,
    ...args: Parameters<typeof writeHead>
  ) {
    statuses.push(args[0]);
    return writeHead.apply(this, args);
  } as typeof writeHead;
  try {
    await gateway.ask('/api/games');
    assert.equal(statuses, [200]);
  } finally {
    IdentifiedResponse.prototype.writeHead = writeHead;
    await gateway.stop();
  }
});

test.run();
