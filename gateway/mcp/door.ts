import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'mcp',
  loadServed: async () => {
    const { mcpEndpoint } = await import('./endpoint.ts');
    return {
      prepare:
        () =>
        ({ log, publicUrl }) => ({ apiEndpoints: (api) => [mcpEndpoint({ api, log, publicUrl })] }),
    };
  },
};
