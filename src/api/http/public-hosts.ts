import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { networksOf } from './proxy.ts';

/** The error code for a host name with an address that is not public. */
export const NOT_PUBLIC = 'EADDRNOTPUBLIC';

/**
 * Networks without public servers, from IANA's registries of special-purpose addresses (RFC 6890).
 */
const NETWORKS: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...[
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
  ],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // Most of these embed an IPv4 address, which may be any of the above.
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/23'],
  ...['100::/64', '100:0:0:1::/64', '2001:db8::/32', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

const isBlocked = networksOf(NETWORKS);

/** Whether the host of a URL is an address that is not public; names are not looked up. */
export function isPrivateHost({ hostname }: URL): boolean {
  return isBlocked(hostname.replace(/^\[|\]$/g, ''));
}

type Answered = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * `dns.lookup`, but it fails with {@link NOT_PUBLIC} for names with an address that is not public.
 */
export function publicLookup(hostname: string, options: LookupOptions, answered: Answered): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return answered(error, []);
    if (addresses.some(({ address }) => isBlocked(address))) {
      return answered(
        Object.assign(new Error(`${hostname} is not public`), { code: NOT_PUBLIC }),
        [],
      );
    }
    const [first] = addresses;
    if (options.all || first === undefined) return answered(null, addresses);
    answered(null, first.address, first.family);
  });
}
