import { isIP } from 'node:net'

export function parseAddresses(text: string): string[] {
  if (text === 'false') return []
  if (/^true$/i.test(text)) throw new Error('must name the proxies, such as 127.0.0.1 or 10.0.0.0/8, not “true”')
  const list = splitList(text)
  for (const each of list) if (isIP(each) === 0) parseNetworks(each)
  return list
}

export function parseNetworks(text: string): string[] {
  const list = splitList(text)
  for (const network of list) {
    const [address = '', bits = '', ...more] = network.split('/')
    const family = isIP(address)
    if (more.length > 0 || family === 0 || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
      throw new Error(`“${network}” is not a CIDR network such as 10.1.0.0/16`)
  }
  return list
}

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
