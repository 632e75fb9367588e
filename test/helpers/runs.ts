/**
 * How many cases a property is tried with. `npm test` tries a tenth of the usual number; CI sets
 * PROPERTY_RUNS=1, and PROPERTY_RUNS=10 tries ten times as many.
 */
export const runs = (usual: number): number =>
  Math.ceil(usual * Number(process.env['PROPERTY_RUNS'] ?? 0.1));
