import { BlockList, isIP } from 'node:net';

/**
 * Whether `noProxy` (NO_PROXY) exempts the host of `url`, by the rules of curl: entries between commas or spaces; a name
 * stands for its subdomains too, with or without a dot or `*.` before it; an address or a range like 10.0.0.0/8 stands for
 * addresses, and no name is looked up; `*` is everything. An entry with a port, which curl does not know, is for that port alone.
 */
export function isExempt(url: URL, noProxy: string): boolean {
  const host = bare(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const { name, only } = readEntry(entry);
      return (only === undefined || only === port) && covers(name, host);
    });
}

function readEntry(entry: string): { readonly name: string; readonly only?: string | undefined } {
  // More than one colon without brackets is an IPv6 address and no port.
  const [, name, only] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  return { name: bare(name ?? entry), only };
}

/** Without the brackets of an IPv6 address, and without the dot that may end a name. */
function bare(name: string): string {
  return name.replace(/^\[(.*)\](?=$|\/)/, '$1').replace(/\.$/, '');
}

function covers(name: string, host: string): boolean {
  if (name === '*') return true;
  if (isIP(host) > 0) return coversAddress(name, host);
  const domain = name.replace(/^\*?\./, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function coversAddress(range: string, host: string): boolean {
  const [address = '', bits, ...rest] = range.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  if (!family || rest.length > 0 || (bits !== undefined && !isUpTo(longest, bits))) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits ?? longest), kind(family));
  return list.check(host, kind(isIP(host)));
}

function isUpTo(longest: number, bits: string): boolean {
  return /^\d{1,3}$/.test(bits) && Number(bits) <= longest;
}

function kind(family: number): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
