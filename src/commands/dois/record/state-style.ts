import type { Style } from '../../../ui/look.ts';

const STATE_STYLES: Readonly<Record<string, Style>> = {
  findable: 'green',
  registered: 'yellow',
  draft: 'dim',
};

/** How the state of a record looks. */
export function styleOfState(state: string): Style | undefined {
  return STATE_STYLES[state];
}
