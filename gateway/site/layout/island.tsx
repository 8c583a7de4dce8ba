import type { ComponentType, JSX } from 'preact';

/** What an island is made from. */
interface IslandOptions<Properties extends object> {
  /** The file in `gateway/site/islands/` that mounts it; the page lists it in `islands`. */
  name: string;
  /** Renders it on the server, and again in the browser. */
  component: ComponentType<Properties>;
  /** JSON values: the browser gets them with the page. */
  properties: Properties;
}

/** A part of a page that reacts to its reader. Without JavaScript it shows what the server rendered. */
export function Island<Properties extends object>({
  name,
  component,
  properties,
}: IslandOptions<Properties>): JSX.Element {
  const Component = component as ComponentType<object>;
  return (
    <div data-island={name} data-properties={JSON.stringify(properties)}>
      <Component {...properties} />
    </div>
  );
}
