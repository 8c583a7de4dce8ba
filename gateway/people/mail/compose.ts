import type { SendMailOptions } from 'nodemailer';
import type { Mail } from './mailer.ts';

/** Makes nodemailer's options for a mail. Its headers ask receivers not to send automatic replies (RFC 3834). */
export function composeMail({ to, subject, text }: Mail, from: string): SendMailOptions {
  return {
    from,
    // nodemailer splits a string into several addresses, but not an object.
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
