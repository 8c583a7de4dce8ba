import ipaddr from 'ipaddr.js';

/** The assigned part of IPv6 (RFC 4291, 2.4); `::10.0.0.1` and other forms with an IPv4 address are outside it. */
const ASSIGNED_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Addresses in public ranges that exist only inside the network of a cloud provider. */
const CLOUD_RANGES = [
  '168.63.129.16/32', // Azure: services of the host
  '199.36.153.4/30', // Google Cloud: restricted.googleapis.com
  '199.36.153.8/30', // Google Cloud: private.googleapis.com
  '2600:2d00:2:1000::/64', // Google Cloud: restricted.googleapis.com
  '2600:2d00:2:2000::/64', // Google Cloud: private.googleapis.com
  '161.26.0.0/16', // IBM Cloud: services of the host
  '166.8.0.0/14', // IBM Cloud: service endpoints
].map((range) => ipaddr.parseCIDR(range));

/** Returns whether an IP address is on the public Internet. */
export function isPublicAddress(address: string): boolean {
  // `process` converts an IPv4-mapped IPv6 address to the IPv4 address.
  const parsed = ipaddr.process(address);
  return (
    parsed.range() === 'unicast' &&
    (parsed instanceof ipaddr.IPv4 || parsed.match(ASSIGNED_IPV6)) &&
    !CLOUD_RANGES.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))
  );
}
