import { spawn } from 'node:child_process';
import type { Log } from '../log/log.ts';

/** Reports to systemd, which started this process as a service of `Type=notify`. */
export interface ServiceManager {
  /** The gateway may get traffic. From now on, the watchdog is reset while the event loop runs. */
  ready(): void;
  /** The gateway finishes what is under way, and ends. */
  stopping(): void;
}

/** For a process that systemd did not start. */
const NONE: ServiceManager = { ready() {}, stopping() {} };

/**
 * Finds out whether systemd waits for reports. They are sent by the program `systemd-notify`: Node.js cannot write to the kind of socket that
 * systemd listens on.
 *
 * @param environment that of the process
 */
export function findServiceManager(environment: NodeJS.ProcessEnv, log: Log): ServiceManager {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = environment;
  if (!NOTIFY_SOCKET) return NONE;
  const notify = (message: string) => {
    const child = spawn('systemd-notify', [message], { stdio: 'ignore' });
    child.once('error', ({ message: error }) => log.error('systemd was not notified', { error }));
  };
  const watchdogMs = Number(WATCHDOG_USEC ?? 0) / 1000;
  let timer: NodeJS.Timeout | undefined;
  return {
    ready() {
      notify('READY=1');
      if (watchdogMs > 0) timer = setInterval(() => notify('WATCHDOG=1'), watchdogMs / 3).unref();
    },
    stopping() {
      clearInterval(timer);
      notify('STOPPING=1');
    },
  };
}
