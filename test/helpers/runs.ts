/**
 * How many cases a property is tried with: PROPERTY_RUNS=10 tries ten times as many as usual, for
 * which the limit of a test has room.
 */
export const runs = (usual: number): number => usual * Number(process.env['PROPERTY_RUNS'] ?? 1);
