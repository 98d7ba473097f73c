import { invalidInput } from '#model/errors.ts'
import type { NetworkHost } from './contract.ts'
import { checkPort, decoded, hostOf } from './network-address.ts'

/** Parameters that are passed to a driver. Others could make it read our files or connect to another host. */
const ALLOWED_PARAMETERS = ['sslmode']

export interface DatabaseAddress extends NetworkHost {
  port: number
  user: string
  password: string
  database: string
}

/** Parses a connection string and refuses everything but a server on the network. */
export function databaseAddress(
  text: string,
  schemes: string[],
  defaultPort: number,
  defaultPlainPort = defaultPort,
): DatabaseAddress {
  const bad = (why: string) => invalidInput('bad_body', 'url', `${why}.`)
  if (!URL.canParse(text)) throw bad(`must look like ${schemes[0]}//user:password@host:${defaultPort}/database`)
  const url = new URL(text)
  if (!schemes.includes(url.protocol)) throw bad(`must begin with ${schemes.join(' or ')}`)
  const host = hostOf(url)
  const database = decoded(url.pathname.slice(1))
  if (database === '' || database.includes('/')) throw bad('must name a database')
  if (url.username === '') throw bad('must name a user')
  if (url.hash !== '') throw bad('contains a “#”; in a password write it as %23')
  for (const name of url.searchParams.keys())
    if (!ALLOWED_PARAMETERS.includes(name))
      throw bad(`“${name}” is not allowed; known is ${ALLOWED_PARAMETERS.join(', ')}`)
  const sslmode = url.searchParams.get('sslmode')
  if (sslmode !== null && !['disable', 'require', 'verify-full'].includes(sslmode))
    throw bad('sslmode must be disable, require or verify-full')
  const wantsPlain = sslmode === 'disable'
  return {
    host,
    port: checkPort(url.port === '' ? (wantsPlain ? defaultPlainPort : defaultPort) : Number(url.port), [443]),
    user: decoded(url.username),
    password: decoded(url.password),
    database,
    wantsPlain,
  }
}
