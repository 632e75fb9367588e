/** Methods that the bundle lacks, by the file of their class in node_modules. */
export const UNCALLED: Readonly<Record<string, readonly string[]>>;
