import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sendFile } from '../../../gateway/http/send-file.ts';
import { countOpen } from '../../support/count-open.ts';
import { until } from '../../support/until.ts';

const test = suite('sendFile');

test('closes the file if the response closes while the file is opened', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'send-file-'));
  const file = path.join(folder, 'data.json');
  await writeFile(file, '[]');
  const ref = { file: 'data.json', bytes: (await stat(file)).size, sha256: '0'.repeat(64) };
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  let isSent = false;
  void sendFile(request, response, {
    build: '1.0',
    filename: 'data.json',
    files: { identity: ref, gzip: ref, br: ref },
    open() {
      response.destroy();
      return open(file);
    },
  }).then(() => {
    isSent = true;
  });
  await until(() => isSent);
  assert.is(await countOpen(folder), 0);
  await rm(folder, { recursive: true });
});

test.run();
