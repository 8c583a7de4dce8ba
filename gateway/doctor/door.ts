import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'doctor',
  commands: {
    doctor: {
      summary: 'check this machine and the settings in the environment',
      load: async (parts) => (await import('./commands/doctor.ts')).doctorCommand(parts),
    },
  },
  loadServed: async () => (await import('./check-option.ts')).SERVED_DOCTOR,
};
