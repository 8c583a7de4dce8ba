import { execFile, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Files, writeFiles } from './fixtures.ts';
import { endServer, listen } from './listen.ts';

const run = promisify(execFile);

const SETTINGS = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
};

/** A git repository of dumps on this machine. */
export class UpstreamRepository {
  /** Its work tree. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes an empty repository, which serves parts of itself as large hosts do. */
  static async create(folder: string): Promise<UpstreamRepository> {
    const repository = new UpstreamRepository(folder);
    await run('git', ['init', '--quiet', '--initial-branch=main', folder]);
    for (const setting of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant']) {
      await repository.git(['config', setting, 'true']);
    }
    return repository;
  }

  /** `file://…`. */
  get address(): string {
    return pathToFileURL(this.folder).href;
  }

  /** Runs git in the work tree. Returns what it printed. */
  async git(args: readonly string[], at = '2026-01-01T00:00:00Z'): Promise<string> {
    const env = { ...process.env, ...SETTINGS, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
    return (await run('git', args, { cwd: this.folder, env })).stdout.trim();
  }

  /** Writes files, and commits all of the work tree. Returns the commit. */
  async commit(subject: string, at: string, files: Files): Promise<string> {
    await writeFiles(this.folder, files);
    await this.git(['add', '--all']);
    await this.git(['commit', '--quiet', '--allow-empty', '--message', subject], at);
    return await this.git(['rev-parse', 'HEAD']);
  }
}

/** What a server of git repositories does with a request: it breaks off after some bytes of the response, redirects, or demands a header. */
type Fault =
  | { breakAfter: number }
  | { redirect: string }
  | { status: number }
  | { authorization: string }
  | undefined;

/** A server of git repositories over http. */
export interface GitServer {
  /** `http://127.0.0.1:40123`. */
  address: string;
  /** The requests, as `POST /name/git-upload-pack`. */
  requests: string[];
  /** Decides what happens to a request, which waits until it is decided. */
  fault(request: string): Fault | Promise<Fault>;
  close(): Promise<void>;
}

/** Serves the repositories in a folder by `git http-backend`. */
export async function serveRepositories(root: string): Promise<GitServer> {
  const server = createServer(async (request, response) => {
    const name = `${request.method} ${request.url}`;
    served.requests.push(name);
    const fault = await served.fault(name);
    if (fault && 'redirect' in fault) response.writeHead(302, { Location: fault.redirect }).end();
    else if (fault && 'status' in fault) response.writeHead(fault.status).end();
    else if (fault && 'authorization' in fault && request.headers.authorization !== fault.authorization)
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="dumps"' }).end();
    else {
      const breakAfter = fault && 'breakAfter' in fault ? fault.breakAfter : Number.POSITIVE_INFINITY;
      runBackend(root, request, response, breakAfter);
    }
  });
  const served: GitServer = {
    address: await listen(server),
    requests: [],
    fault: () => undefined,
    close: () => endServer(server),
  };
  return served;
}

function runBackend(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  breakAfter: number,
): void {
  const url = new URL(request.url ?? '', 'http://localhost');
  const { headers } = request;
  const env = {
    ...process.env,
    ...SETTINGS,
    GIT_PROJECT_ROOT: path.resolve(root),
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method ?? 'GET',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: headers['content-type'] ?? '',
    ...(headers['content-encoding'] && { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
    ...(headers['git-protocol'] && { GIT_PROTOCOL: String(headers['git-protocol']) }),
  };
  const child = spawn('git', ['http-backend'], { env });
  request.pipe(child.stdin.on('error', () => {}));
  child.stderr.resume();
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => sendResult(Buffer.concat(chunks), response, breakAfter));
}

/** Sends what a CGI program printed. */
function sendResult(printed: Buffer, response: ServerResponse, breakAfter: number): void {
  const end = printed.indexOf('\r\n\r\n');
  const fields = printed
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line) => line.split(': ') as [string, string]);
  const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
  const body = printed.subarray(end + 4);
  response.writeHead(
    Number.parseInt(status, 10),
    [...fields.filter(([name]) => name !== 'Status'), ['Content-Length', String(body.length)]].flat(),
  );
  if (body.length <= breakAfter) response.end(body);
  else response.write(body.subarray(0, breakAfter), () => response.destroy());
}
