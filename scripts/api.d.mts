/** The public declarations of the library in its present sources. */
export function publicDeclarations(): string;
