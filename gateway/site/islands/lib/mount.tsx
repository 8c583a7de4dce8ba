import { type ComponentType, hydrate } from 'preact';

/**
 * Brings the islands of a name to life: each `<Island>` of the page with that name is rendered again in the browser, with the same
 * properties, and then reacts to its reader.
 */
export function mount<Properties extends object>(name: string, component: ComponentType<Properties>): void {
  const Component = component as ComponentType<object>;
  for (const place of document.querySelectorAll<HTMLElement>(`[data-island="${name}"]`)) {
    const properties: object = JSON.parse(place.dataset.properties ?? '{}');
    hydrate(<Component {...properties} />, place);
  }
}
