import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../src/settings/environment.ts';
import { emulate } from '../helpers/emulator.ts';

describe('a value of the environment', () => {
  it.each([
    ['DOI_CLI_API_KEY', ' DC.a\n', 'DC.a', /^DOI_CLI_API_KEY has blanks.* not used$/],
    ['DOI_CLI_API_KEY', '\ufeff"DC.a"\r\n', 'DC.a', /blanks.* and quotes around it.* not used$/],
    ['DOI_CLI_PASSWORD', '\ufeffpw\r\n', 'pw', /line ends .* not used$/],
    ['DOI_CLI_PASSWORD', ' pw\n', ' pw', /line ends .* not used, and blanks .* are sent$/],
    ['DOI_CLI_PASSWORD', '"pw"', '"pw"', /quotes around it, which are sent$/],
    ['DOI_CLI_REPOSITORY', '“DEMO.REPO”', 'DEMO.REPO', /quotes/],
    ['DOI_CLI_BASE_URL', "'https://a.example '", 'https://a.example', /quotes/],
    ['HTTPS_PROXY', ' `http://p:1`', 'http://p:1', /^HTTPS_PROXY has/],
    ['no_proxy', ' a.example ', 'a.example', /^no_proxy has/],
    ['DOI_CLI_CONFIG_DIR', '~/cfg', join(homedir(), 'cfg'), undefined],
    ['XDG_CONFIG_HOME', '~', homedir(), undefined],
    ['DOI_CLI_API_KEY', 'DC.a', 'DC.a', undefined],
    ['DOI_CLI_API_KEY', ' ', ' ', undefined],
    ['DOI_CLI_PROFILE', ' ', '', /^DOI_CLI_PROFILE contains only blanks, and is not used$/],
    ['NO_PROXY', '\ufeff\n', '', /^NO_PROXY contains only blanks/],
    ['DOI_CLI_PROFILE', '', '', undefined],
  ])('%s=%j is %j', (name, value, expected, warning) => {
    const { env, warnings } = readEnvironment({ [name]: value, OTHER: ' x ' });
    expect(env).toEqual({ [name]: expected, OTHER: ' x ' });
    expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
  });
  it.each([
    ['DOI_CLI_APIKEY', '; did you mean DOI_CLI_API_KEY?'],
    ['doi_cli_api_key', '; did you mean DOI_CLI_API_KEY?'],
    ['DOICLI_API_KEY', '; did you mean DOI_CLI_API_KEY?'],
    ['DOI_CLI_TOKEN', '; did you mean DOI_CLI_API_KEY?'],
    ['DOI_CLI_USERNAME', '; did you mean DOI_CLI_REPOSITORY?'],
    ['DOI_CLI_BASEURL', '; did you mean DOI_CLI_BASE_URL?'],
    ['DOI_CLI_SOMETHING_ELSE', ''],
  ])('with the unknown name %s is warned of, and not shown', (name, suggestion) => {
    expect(readEnvironment({ [name]: 's3cret' }).warnings).toEqual([
      `the environment variable ${name} is not known${suggestion}`,
    ]);
  });
  it('must not be the home directory of another user', () => {
    expect(() => readEnvironment({ DOI_CLI_CONFIG_DIR: '~bob/cfg' })).toThrow(
      "DOI_CLI_CONFIG_DIR: '~bob/cfg' begins with ~bob, which only shells know",
    );
  });
});

it('a key with blanks around it is used, and its value never shown', async () => {
  const service = await emulate();
  const { key } = await service.newKey('ci');
  const env = { DOI_CLI_API_KEY: `\n "${key}" `, DOI_CLI_KEYS: key };
  const { code, stdout, stderr } = await service.run(['dois', 'list', '--count', '--mine'], {
    env,
  });
  expect([code, Number(stdout) > 0], stderr).toEqual([0, true]);
  expect(stderr.match(/^warning: /gm)).toHaveLength(2);
  expect(stderr).not.toContain(key);
});
