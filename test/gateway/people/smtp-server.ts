import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { atEnd } from '../../support/at-end.ts';
import { findFreePort } from '../../support/free-port.ts';

/** A mail as the server received it. */
interface ReceivedMail {
  /** The sender of the envelope. */
  from: string;
  /** The recipients of the envelope. */
  to: string[];
  /** The unparsed mail. */
  source: string;
  subject: string;
  /** Decoded. */
  text: string;
}

/** An SMTP server for a test. */
export interface TestSmtp {
  /** The value for SMTP_URL. */
  url: string;
  mails: ReceivedMail[];
  /** Starts the server again after `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the reply code that refuses a recipient; undefined accepts it. */
export type RefuseRecipient = (address: string) => number | undefined;

/** Starts an SMTP server on a free port; without options it accepts every mail. */
export async function startSmtp(
  refuseRecipient: RefuseRecipient = () => undefined,
  options: SMTPServerOptions = {},
): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const settings: SMTPServerOptions = {
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      const code = refuseRecipient(address);
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
  const port = await findFreePort();
  let server: SMTPServer;
  const start = async () => {
    server = new SMTPServer(settings);
    // A connection that a client aborts is not an error of the test.
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  };
  await start();
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  atEnd(stop);
  return { url: `smtp://127.0.0.1:${port}`, mails, start, stop };
}

/** Parses the subject and the text of a mail with one part. */
export function readMail(source: string): { subject: string; text: string } {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const body = source.slice(end + 4).replaceAll('\r\n', '\n');
  const isQuoted = /^content-transfer-encoding: quoted-printable$/im.test(head);
  return { subject: /^subject: (.*)$/im.exec(head)?.[1] ?? '', text: isQuoted ? unquote(body) : body };
}

/** Decodes quoted-printable ASCII (RFC 2045, 6.7). */
function unquote(text: string): string {
  return text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
