import { usageError } from '../../errors.ts';

/**
 * The proxy for a base URL, from `HTTPS_PROXY` and `NO_PROXY` as curl reads them, in either case. Plain http
 * uses no proxy: it is for loopback hosts, and a proxy would read the credentials.
 * @throws {CliError} kind `usage` for another value, which the message does not quote: it may hold a secret.
 */
export function proxyFor(baseUrl: URL, env: Readonly<Record<string, string | undefined>>): URL | undefined {
  const text = env['https_proxy'] || env['HTTPS_PROXY'];
  if (!text || baseUrl.protocol !== 'https:') return undefined;
  if (isExcluded(baseUrl, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  return parseProxy(text, 'HTTPS_PROXY');
}

/**
 * The URL of a proxy; without a scheme, it is http.
 * @param name of the value in the error.
 * @throws {CliError} kind `usage` for another value, which the message does not quote: it may hold a secret.
 */
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
  const host = hostname.replace(/^\[|\]$/g, '');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', onlyPort] =
        /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIpv6(entry) ? `[${entry}]` : entry) ?? [];
      const domain = name.replace(/^\*?\./, '');
      if (domain === '' || (onlyPort !== undefined && onlyPort !== (port || '443'))) return false;
      return domain === '*' || host === domain || host.endsWith(`.${domain}`);
    });
}

/** True for an IPv6 address without brackets: its last colon does not start a port. */
function isIpv6(entry: string): boolean {
  return !entry.startsWith('[') && entry.split(':').length > 2;
}
