import { assignmentText } from '../../../records/assignment.ts';
import type { WriteFlags } from './input.ts';

/** The options that decide what is sent, which the next command has to repeat. */
export function repeatedOptions({
  prefix,
  event,
  validate = true,
  yes,
  overwrite,
  out,
  url,
  ...flags
}: WriteFlags): string[] {
  return [
    ...(prefix === undefined ? [] : ['--prefix', prefix]),
    ...(event === undefined ? [] : ['--event', event]),
    ...changeOptions(flags),
    ...(validate ? [] : ['--no-validate']),
    ...(yes ? ['--yes'] : []),
    ...(overwrite ? ['--overwrite'] : []),
    ...(url === undefined ? [] : ['--url', url]),
    ...(out === undefined ? [] : ['--out', out]),
  ];
}

/** The options that say what to change of each record. */
export function changeOptions({ set = [], reason, to }: WriteFlags): string[] {
  return [
    ...set.flatMap((one) => ['--set', assignmentText(one)]),
    ...(to === undefined ? [] : ['--to', to]),
    ...(reason === undefined ? [] : ['--reason', reason]),
  ];
}
