/** A request of the API. */
export interface ApiRequest {
  /** Where people reach the gateway, without a path: `https://api.example.org`. */
  origin: string;
  /** `/api/genshin-impact/characters`. */
  path: string;
  /** Without `?`; encoded as `writeListState` does, so that it has no quotes. */
  query: string;
  /** Whether the same is there as CSV, under the path with `.csv`. */
  hasCsv?: boolean;
}

/** A request as code to copy. */
export interface Snippet {
  language: 'curl' | 'JavaScript' | 'Python' | 'CSV';
  code: string;
}

/** Returns the address of a request. */
export function addressOf({ origin, path, query }: ApiRequest): string {
  return `${origin}${path}${query === '' ? '' : `?${query}`}`;
}

/** Returns the address of the same as CSV. */
export function csvAddressOf({ path, ...request }: ApiRequest): string {
  return addressOf({ ...request, path: `${path}.csv` });
}

/** Writes a request for a shell, for JavaScript and for Python without packages. Each reads the key from the environment variable `KEY`. */
export function writeSnippets(request: ApiRequest): Snippet[] {
  const address = addressOf(request);
  return [
    { language: 'curl', code: `curl -g -H "X-API-Key: $KEY" '${address}'` },
    {
      language: 'JavaScript',
      code: `const response = await fetch(
  '${address}',
  { headers: { 'X-API-Key': process.env.KEY } },
);
const data = await response.json();`,
    },
    {
      language: 'Python',
      code: `import json, os, urllib.request

request = urllib.request.Request(
    "${address}",
    headers={"X-API-Key": os.environ["KEY"]},
)
with urllib.request.urlopen(request) as response:
    data = json.load(response)`,
    },
    ...(request.hasCsv ? [csvSnippet(request)] : []),
  ];
}

function csvSnippet(request: ApiRequest): Snippet {
  const file = request.path.slice(request.path.lastIndexOf('/') + 1);
  return {
    language: 'CSV',
    code: `curl -g -o '${file}.csv' -H "X-API-Key: $KEY" '${csvAddressOf(request)}'`,
  };
}
