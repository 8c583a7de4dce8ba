import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as a server took it. */
export interface ReceivedMail {
  /** Of the envelope. */
  from: string;
  to: string[];
  /** As it came. */
  source: string;
  subject: string;
  /** Decoded. */
  text: string;
}

/** An SMTP server of a test's own. */
export interface TestSmtp {
  /** What SMTP_URL takes. */
  url: string;
  mails: ReceivedMail[];
  /** Starts it again, where it was stopped. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** How the server answers to the address of a recipient: with a code that refuses it, or as usual. */
export type Answering = (address: string) => number | undefined;

/** Starts an SMTP server on a free port that takes every mail, unless told otherwise. */
export async function startSmtp(
  answering: Answering = () => undefined,
  options: SMTPServerOptions = {},
): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const settings: SMTPServerOptions = {
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      const code = answering(address);
      done(code === undefined ? null : Object.assign(new Error('no'), { responseCode: code }));
    },
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const source = Buffer.concat(parts).toString();
        const from = mailFrom ? mailFrom.address : '';
        mails.push({ from, to: rcptTo.map(({ address }) => address), source, ...readMail(source) });
        done();
      });
    },
    ...options,
  };
  let port = 0;
  let server: SMTPServer;
  const start = async () => {
    server = new SMTPServer(settings);
    // What a client breaks off is no error of the test.
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.server.address() as AddressInfo).port;
  };
  await start();
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    start,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Reads a mail of one part: its subject and its text. */
export function readMail(source: string): { subject: string; text: string } {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const body = source.slice(end + 4).replaceAll('\r\n', '\n');
  const isQuoted = /^content-transfer-encoding: quoted-printable$/im.test(head);
  return {
    subject: /^subject: (.*)$/im.exec(head)?.[1] ?? '',
    text: isQuoted ? unquote(body) : body,
  };
}

/** RFC 2045, 6.7, of ASCII. */
function unquote(text: string): string {
  return text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
