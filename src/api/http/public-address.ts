import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** The code of the error for a name that leads to an address that is not public. */
export const NOT_PUBLIC = 'EADDRNOTPUBLIC';

/** Loopback, private and link-local networks, and others that no public server has (RFC 6890). */
const NETWORKS: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  // Most of these hold an IPv4 address, which may be any of the above.
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
  ...['100::/64', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

// A list also finds its IPv4 addresses as IPv6 (::ffff:10.0.0.1).
const blocked = new BlockList();
for (const network of NETWORKS) {
  const [address = '', prefix] = network.split('/');
  blocked.addSubnet(address, Number(prefix), familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Whether the host of a URL is an address that is not public; a name is not looked up. */
export function isPrivateHost({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && blocked.check(address, familyOf(address));
}

type Answered = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * Looks a name up for a connection, as `dns.lookup` does; the error has the code {@link NOT_PUBLIC} when one
 * of its addresses is not public. The connection goes to the address that was checked.
 */
export function publicLookup(hostname: string, options: LookupOptions, answered: Answered): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return answered(error, []);
    if (addresses.some(({ address }) => blocked.check(address, familyOf(address)))) {
      return answered(Object.assign(new Error(`${hostname} is not public`), { code: NOT_PUBLIC }), []);
    }
    const [first] = addresses;
    if (options.all || first === undefined) return answered(null, addresses);
    answered(null, first.address, first.family);
  });
}
