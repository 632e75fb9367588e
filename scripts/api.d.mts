/** The public declarations of the library in its present sources, by their paths. */
export function publicDeclarations(): ReadonlyMap<string, string>;
