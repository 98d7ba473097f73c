import { isIPv4 } from 'node:net'

/** True for an address, or `localhost`, that only programs on this machine can reach; of a socket or in `HOST`. */
export function isLoopbackAddress(address: string): boolean {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return bare === 'localhost' || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'))
}
