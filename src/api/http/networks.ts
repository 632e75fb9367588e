import { BlockList, isIP } from 'node:net';

/**
 * A function that tells whether an address is in one of the networks, each as in `10.0.0.0/8` or
 * `fd00::/8`. It also finds IPv4 addresses that are written as IPv6 (::ffff:10.0.0.1).
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
