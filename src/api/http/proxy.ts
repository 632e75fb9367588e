import { usageError } from '../../errors.ts';

/**
 * The proxy for a base URL, from `HTTPS_PROXY` and `NO_PROXY` as curl reads them, in either case. Plain http uses
 * none: it is for loopback hosts, and a proxy would read the credentials. @throws {CliError} as {@link parseProxy}.
 */
export function proxyFor(baseUrl: URL, env: Readonly<Record<string, string | undefined>>): URL | undefined {
  const text = env['https_proxy'] || env['HTTPS_PROXY'];
  if (!text || baseUrl.protocol !== 'https:') return undefined;
  if (isExcluded(baseUrl, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  return parseProxy(text, 'HTTPS_PROXY');
}

/** The URL of a proxy, http without a scheme. @throws {CliError} kind `usage`, without the value: it may hold a secret. */
export function parseProxy(text: string, name: string): URL {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url) || !/^https?:/i.test(url) || !hasPlainCredentials(new URL(url))) {
    throw usageError(`${name} is not the URL of a proxy`, 'write it as http://proxy.example.org:3128');
  }
  return new URL(url);
}

/** Whether user and password of a proxy can be decoded: a percent sign of their own is written as %25. */
function hasPlainCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Whether `NO_PROXY` names the host, a domain above it, or `*`; each with or without a port. */
function isExcluded({ hostname, port }: URL, list: string): boolean {
  const withoutBrackets = (text: string) => text.replace(/[[\]]/g, '');
  const host = `.${withoutBrackets(hostname)}`;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .map((entry) => withoutBrackets(entry).replace(/^\*?\./, ''))
    .filter((domain) => domain !== '')
    .some((domain) =>
      [host, `${host}:${port || '443'}`, '.*'].some((spelled) => spelled.endsWith(`.${domain}`)),
    );
}
