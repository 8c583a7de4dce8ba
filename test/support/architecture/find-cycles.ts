/** What each node leads to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Makes a graph from arrows. */
export function graphOf(arrows: Iterable<readonly [from: string, to: string]>): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of arrows) {
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets.add(to));
  }
  return graph;
}

/** A shortest way from the start nodes to each node that they lead to: the nodes on it, from the first to the last. */
export function findWays(graph: Graph, starts: readonly string[]): Map<string, string[]> {
  const ways = new Map<string, string[]>();
  const known = new Set(starts);
  // The map grows during the iteration: the search is breadth first.
  for (const node of known)
    for (const target of graph.get(node) ?? []) {
      if (!ways.has(target)) ways.set(target, [...(ways.get(node) ?? [node]), target]);
      known.add(target);
    }
  return ways;
}

/** Finds cycles: each is the list of its nodes, with the first one again at the end. Of cycles that share a node, it finds one. */
export function findCycles(graph: Graph): string[][] {
  const cycles: string[][] = [];
  for (const start of graph.keys()) {
    if (cycles.some((cycle) => cycle.includes(start))) continue;
    const cycle = findWays(graph, [start]).get(start);
    if (cycle) cycles.push(cycle);
  }
  return cycles;
}
