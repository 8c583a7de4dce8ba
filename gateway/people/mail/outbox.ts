import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { composeMail } from '../../../scripts/notices/compose-mail.ts';
import { errorOf, makeFolder } from '../../../scripts/system.ts';
import type { Log } from '../../http/log.ts';
import { once } from '../../http/work.ts';
import { type Mailer, MailError } from './mailer.ts';

const FROM = 'Game Data Read API <no-reply@localhost>';

/**
 * Makes a mailer for development, which writes each mail to a file and logs the file's name. The mails contain secret links, so only the
 * user who runs the gateway may read the files.
 *
 * @param folder created with the first mail
 * @param now ms since 1970
 */
export function createOutbox(folder: string, { now, log }: { now: () => number; log: Log }): Mailer {
  const openTransport = once(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ streamTransport: true, buffer: true });
  });
  return {
    async send(mail) {
      const transport = await openTransport();
      const { message } = await transport.sendMail(composeMail(mail, FROM));
      const time = new Date(now()).toISOString().replaceAll(':', '-');
      const file = path.join(folder, `${time}-${randomUUID().slice(0, 8)}.eml`);
      try {
        await makeFolder(folder, 0o700);
        await writeFile(`${file}.part`, message, { mode: 0o600 });
        await rename(`${file}.part`, file);
      } catch (error) {
        throw new MailError('unavailable', `cannot write ${file}: ${errorOf(error).message}`);
      }
      log.info('a mail was written to a file, because SMTP_URL is not set', { file });
    },
  };
}
