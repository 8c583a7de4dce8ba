import type { SendMailOptions } from 'nodemailer';
import type { Mail } from './mailer.ts';

/** A mail as nodemailer takes it; it asks for no automatic replies (RFC 3834). */
export function composeMail({ to, subject, text }: Mail, from: string): SendMailOptions {
  return {
    from,
    // An object is one address, whatever characters it has.
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
