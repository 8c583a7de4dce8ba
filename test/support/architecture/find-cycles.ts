/** What each node leads to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Makes a graph of arrows. */
export function graphOf(arrows: Iterable<readonly [from: string, to: string]>): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of arrows) {
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets.add(to));
  }
  return graph;
}

/** A shortest way to each node that some nodes lead to: the nodes on it, from the first to the last. */
export function findWays(graph: Graph, starts: readonly string[]): Map<string, string[]> {
  const ways = new Map<string, string[]>();
  const known = new Set(starts);
  // The set grows while it is walked through: breadth first.
  for (const node of known)
    for (const target of graph.get(node) ?? []) {
      if (!ways.has(target)) ways.set(target, [...(ways.get(node) ?? [node]), target]);
      known.add(target);
    }
  return ways;
}

/** Cycles, each as the nodes on it and the first one again; of those that share a node, one. */
export function findCycles(graph: Graph): string[][] {
  const cycles: string[][] = [];
  for (const start of graph.keys()) {
    if (cycles.some((cycle) => cycle.includes(start))) continue;
    const cycle = findWays(graph, [start]).get(start);
    if (cycle) cycles.push(cycle);
  }
  return cycles;
}
