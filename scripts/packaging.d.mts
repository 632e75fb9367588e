/** Writes the recipes for other package managers, with the SHA-256 of each file of the release. */
export function writeRecipes(folder: string, sums: ReadonlyMap<string, string>): void;
