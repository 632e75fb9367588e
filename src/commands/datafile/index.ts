import { command, type Declaration } from '../../cli/declare.ts';
import { formatOption } from '../../cli/options.ts';

export const credentials = command({
  name: 'credentials',
  description: 'print temporary credentials for other tools, valid for one hour',
  options: [
    formatOption(
      ['json', 'env', 'aws'],
      'the response, export lines, or JSON for the AWS CLI',
    ).default('json'),
  ],
  examples: ['eval "$(doi-cli datafile credentials --format env)"'],
  load: async () => (await import('./credentials.ts')).credentialsCommand,
});

export const datafile: Declaration = {
  examples: ['doi-cli datafile credentials --format aws'],
  commands: [credentials],
};
