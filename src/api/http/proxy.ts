import { BlockList, isIP } from 'node:net';
import { usageError } from '../../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables with a proxy for https, in the order in which curl reads them. */
const USED = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];
/** The variables with a proxy for plain http; curl ignores the second, which CGI sets. */
const UNUSED = ['http_proxy', 'HTTP_PROXY'];

/** The variable with the proxy for https; undefined if none is set. */
export function proxyVariable(env: Environment): string | undefined {
  return USED.find((name) => env[name]);
}

/** The variables with proxies that are not used, with the reason. */
export function unusedProxies(env: Environment): readonly string[] {
  const used = proxyVariable(env);
  const isSet = (name: string) => !!env[name] && env[name] !== (used && env[used]);
  const [others, plain] = [USED.filter((name) => name !== used), UNUSED].map((names) => [
    ...new Set(names.filter(isSet)),
  ]);
  return [
    ...(others ?? []).map((name) => `${name} is set, but ${used} comes first`),
    ...(plain ?? []).map((name) => `${name} is set, but it is for plain http only`),
  ];
}

/**
 * The proxy for a base URL, from `HTTPS_PROXY`, else `ALL_PROXY`, and `NO_PROXY` as curl reads
 * them, in either case. Plain http uses none: it is for loopback hosts, and a proxy would read the
 * credentials.
 * @throws {CliError} as {@link parseProxy}.
 */
export function proxyFor(baseUrl: URL, env: Environment): URL | undefined {
  const name = proxyVariable(env);
  if (name === undefined || baseUrl.protocol !== 'https:') return undefined;
  if (isExcluded(baseUrl, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  return parseProxy(env[name] ?? '', name.toUpperCase());
}

/**
 * The URL of a proxy; http if it has no scheme. @throws {CliError} kind `usage`. Its message omits
 * the value, which may contain a secret.
 */
export function parseProxy(text: string, name: string): URL {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const example = 'write it as http://proxy.example.org:3128';
  if (/^socks\w*:/i.test(url)) {
    const hint = `${example}, or exclude the service with NO_PROXY`;
    throw usageError(`${name} is a SOCKS proxy, and only HTTP proxies can be used`, hint);
  }
  if (!URL.canParse(url) || !/^https?:/i.test(url) || !hasPlainCredentials(new URL(url)))
    throw usageError(`${name} is not the URL of a proxy`, example);
  return new URL(url);
}

/**
 * Whether a proxy's user and password can be decoded: a literal percent sign must be written as
 * %25.
 */
function hasPlainCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether `NO_PROXY` lists the host, a parent domain, `*`, or a network such as `10.0.0.0/8`; hosts
 * with or without a port.
 */
function isExcluded({ hostname, port }: URL, list: string): boolean {
  const plainHost = (text: string) => text.replace(/[[\]]/g, '').replace(/\.$/, '');
  const host = plainHost(hostname);
  const isAddress = isIP(host) !== 0;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      if (entry.includes('/')) return isAddress && isInNetwork(host, plainHost(entry));
      const bare = plainHost(entry.replace(/(^[^:]*|\]):(\d+)$/, '$1'));
      const [, entryPort = port || '443'] = /(?:^[^:]*|\]):(\d+)$/.exec(entry) ?? [];
      if (entryPort !== (port || '443')) return false;
      if (isAddress) return isSameAddress(host, bare);
      const domain = bare.replace(/^\*?\./, '');
      return domain !== '' && `.${host}`.endsWith(`.${domain}`);
    });
}

function isSameAddress(address: string, other: string): boolean {
  return isInNetwork(address, `${other}/${isIP(other) === 6 ? 128 : 32}`);
}

/** Whether an address is in a network of its family, as in `10.0.0.0/8` or `fd00::/8`. */
function isInNetwork(address: string, network: string): boolean {
  const [, base = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(network) ?? [];
  const most = isIP(base) === 6 ? 128 : 32;
  if (isIP(base) === 0 || isIP(base) !== isIP(address) || Number(bits) > most) return false;
  return networksOf([network])(address);
}

/**
 * A function that tests whether an address is in one of the networks, each as in `10.0.0.0/8` or
 * `fd00::/8`. It recognises IPv4 addresses in the form of IPv6 (::ffff:10.0.0.1).
 */
export function networksOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    list.addSubnet(base, Number(bits), familyOf(base));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
