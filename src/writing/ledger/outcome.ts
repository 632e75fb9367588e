/** The commands for one record or many, each with the outcome of a record. */
export const OUTCOME_OF = {
  create: 'created',
  update: 'updated',
  publish: 'published',
  register: 'registered',
  hide: 'hidden',
  delete: 'deleted',
  transfer: 'transferred',
} as const;
export type WriteCommand = keyof typeof OUTCOME_OF;

/** The outcomes of a line: `unchanged` needs no request, and `valid` is for dry runs. */
export const OUTCOMES = [...Object.values(OUTCOME_OF), 'unchanged', 'valid', 'failed'] as const;
export type OutcomeName = (typeof OUTCOMES)[number];
