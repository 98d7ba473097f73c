import { invalidInput } from '#model/errors.ts'
import type { NetworkHost } from '../contract.ts'
import { checkPort, decoded, hostOf } from '../network-address.ts'

export interface NatsAddress extends NetworkHost {
  port: number
  user: string
  password: string
}

export function natsAddress(text: string): NatsAddress {
  const bad = (why: string) => invalidInput('bad_body', 'url', `${why}.`)
  const url = URL.parse(text)
  if (url?.protocol !== 'nats:') throw bad('must look like nats://user:password@host:4222')
  const host = hostOf(url)
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash !== '') throw bad('must end with the port')
  for (const name of url.searchParams.keys()) if (name !== 'tls') throw bad(`“${name}” is not allowed; known is tls`)
  const tls = url.searchParams.get('tls') ?? 'true'
  if (tls !== 'true' && tls !== 'false') throw bad('tls must be true or false')
  return {
    host,
    port: checkPort(url.port === '' ? 4222 : Number(url.port), [443]),
    user: decoded(url.username),
    password: decoded(url.password),
    wantsPlain: tls === 'false',
  }
}
