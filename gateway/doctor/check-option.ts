import type { ServedPart } from '../commands/door.ts';

/** `gateway serve --check`. */
export const SERVED_DOCTOR: ServedPart = {
  addOptions(command) {
    command.option('--check', 'only check this machine and these options, as gateway doctor does');
  },
  replace(command, parts) {
    const { check } = command.opts<{ check?: true }>();
    return check && import('./commands/doctor.ts').then(({ checkServe }) => checkServe({ command, parts }));
  },
};
