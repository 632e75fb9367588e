/** No option takes a secret. */
const SECRET = 'doi-cli auth login';

/** Options that people type who know other programs, and what to type here: the first that the command has. */
export const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  json: ['--format json'],
  ndjson: ['--format ndjson'],
  csv: ['--format csv'],
  output: ['--out', '--format'],
  input: ['--file'],
  f: ['--file', '--format'],
  since: ['--updated'],
  until: ['--updated'],
  force: ['--yes'],
  debug: ['--verbose'],
  v: ['--verbose', '--version'],
  token: [SECRET],
  'api-key': [SECRET],
  password: [SECRET],
  user: ['--repository', SECRET],
  repository: ['--client-id', 'doi-cli auth login --repository <id>'],
  title: ["--set 'titles[0].title=<title>'", '--query'],
  creator: ['--set \'creators[]={"name":"<name>"}\'', '--query'],
  type: ['--resource-type-id', '--set'],
  url: ['--set url=<url>', '--base-url'],
  publish: ['--event publish'],
};

/** Names of commands, and those that they have here. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  rm: ['delete', 'revoke', 'unset'],
  delete: ['revoke', 'unset'],
  new: ['create', 'set'],
  show: ['get', 'status', 'list'],
  edit: ['update', 'set'],
  sync: ['harvest'],
  whoami: ['doi-cli auth status'],
  search: ['doi-cli dois list --query <query>'],
  count: ['doi-cli dois list --count'],
  version: ['doi-cli --version'],
};
