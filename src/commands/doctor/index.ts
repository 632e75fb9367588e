import { command } from '../../cli/declare.ts';
import { formatOption } from '../../cli/options.ts';

export const doctor = command({
  options: [formatOption(['text', 'json'], 'output format').default('text')],
  examples: ['doi-cli doctor', 'doi-cli doctor --format json'],
  load: async () => (await import('./doctor.ts')).doctorCommand,
});
