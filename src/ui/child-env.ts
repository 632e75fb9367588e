type Env = Readonly<Record<string, string | undefined>>;

/** The environment for programs of the user, such as a pager: without the credentials of this one. */
export function childEnv(env: Env): Env {
  const { DOI_CLI_PASSWORD: _password, DOI_CLI_API_KEY: _key, ...others } = env;
  return others;
}
