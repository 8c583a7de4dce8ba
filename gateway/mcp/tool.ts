import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import type { Asked } from '../api/api-access.ts';
import type { JsonSchema, Route } from '../api/route.ts';
import { MAX_TARGET_BYTES } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Page } from './shorten.ts';

/** The arguments of a call, which fit the tool's schema. */
export type Arguments = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A request that a call stands for. */
export interface ToolRequest {
  route: Route;
  /** The parameters in the path, and those in the query string. A list is sent as the OpenAPI document says. */
  params?: Record<string, string>;
  query?: Arguments;
}

/** What a tool knows of the data before it makes its request. */
export interface ToolContext {
  /** Returns whether a dataset is a list or one object; undefined if there is none. */
  kindOf(game: string, dataset: string): 'list' | 'object' | undefined;
}

/** A tool for AI agents: one request of the API, whose result is cut to what a model can read. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Whether free keys are refused. */
  isPro?: true;
  input: JsonSchema;
  ask(given: Arguments, context: ToolContext): ToolRequest;
  /** The page of the result that is shown, if the route has no pages. */
  page?(given: Arguments): Page;
  /** Removes what a model does not need from the result, and puts first what matters to players. */
  trim?(result: JsonObject, given: Arguments): void;
}

/** Returns the GET that a request of a tool is. @throws HttpProblem `uri-too-long` */
export function toAsked({ route, params = {}, query = {} }: ToolRequest): Asked {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => pairsOf(route, name, value)),
  );
  const search = pairs.size > 0 ? `?${pairs}` : '';
  if (path.length + search.length > MAX_TARGET_BYTES) {
    const detail = `the arguments are too long: as an address they have ${path.length + search.length} bytes, expected at most ${MAX_TARGET_BYTES}`;
    throw new HttpProblem('uri-too-long', detail);
  }
  return { route, path, search, params };
}

function pairsOf({ parameters }: Route, name: string, value: Arguments[string]): [string, string][] {
  if (value === undefined) return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  if (value.length === 0) return [];
  const isRepeated = parameters.find((each) => each.name === name)?.explode === true;
  return isRepeated ? value.map((each) => [name, each]) : [[name, value.join(',')]];
}

/** Returns a text argument; empty without it. */
export function textOf(value: Arguments[string]): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the page that `offset` and `limit` choose. */
export function pageOf({ offset, limit }: Arguments, list: readonly string[], size: number): Page {
  return { list, offset: Number(offset ?? 0), limit: Number(limit ?? size) };
}

/** Parses the JSON of a response, which is an object. */
export function parseResult(json: string): JsonObject {
  const value: Json = JSON.parse(json);
  if (!isObject(value)) throw new Error('the response is no object');
  return value;
}
