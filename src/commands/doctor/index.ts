import type { CommandSpec } from '../../cli/declare.ts';
import { formatOption } from '../../cli/options.ts';

export const doctor: CommandSpec = {
  name: 'doctor',
  description: 'check Node.js, settings, keychain, network, clock and credentials, and suggest fixes',
  options: [formatOption(['text', 'json'], 'output format').default('text')],
  examples: ['doi-cli doctor', 'doi-cli doctor --format json'],
  load: async () => (await import('./doctor.ts')).doctorCommand,
};
