import { readKey } from './lib/key.ts';

/** What the library of the page defines. */
interface Scalar {
  createApiReference(place: string, configuration: object): void;
}

const { Scalar } = window as unknown as { Scalar: Scalar };

Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  theme: 'none',
  layout: 'modern',
  // The page has a header of its own, and works without any other host.
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { securitySchemes: { apiKey: { value: readKey() ?? '' } } },
});
