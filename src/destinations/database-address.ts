import { ApiError } from '#model/errors.ts'
import { checkPort, decoded, hostOf } from './network-address.ts'

/** Parameters that a driver may be given; others could make it read our files or talk to somebody else. */
const ALLOWED = ['sslmode']

export interface DatabaseAddress {
  host: string
  port: number
  user: string
  password: string
  database: string
  /** Without TLS: only on a private network that the operator opened. */
  wantsPlain: boolean
}

/** Takes a connection string apart and refuses what only pretends to be a server on the network. */
export function databaseAddress(text: string, schemes: string[], defaultPort: number): DatabaseAddress {
  const bad = (why: string) => new ApiError('bad_body', `url: ${why}.`)
  if (!URL.canParse(text)) throw bad(`must look like ${schemes[0]}//user:password@host:${defaultPort}/database`)
  const url = new URL(text)
  if (!schemes.includes(url.protocol)) throw bad(`must begin with ${schemes.join(' or ')}`)
  const host = hostOf(url)
  const database = decoded(url.pathname.slice(1))
  if (database === '' || database.includes('/')) throw bad('names no database')
  if (url.username === '') throw bad('names no user')
  if (url.hash !== '') throw bad('holds a “#”; in a password write it as %23')
  for (const name of url.searchParams.keys())
    if (!ALLOWED.includes(name)) throw bad(`“${name}” is not allowed; known is ${ALLOWED.join(', ')}`)
  const sslmode = url.searchParams.get('sslmode')
  if (sslmode !== null && !['disable', 'require', 'verify-full'].includes(sslmode))
    throw bad('sslmode must be disable, require or verify-full')
  return {
    host,
    port: checkPort(url.port === '' ? defaultPort : Number(url.port), [443]),
    user: decoded(url.username),
    password: decoded(url.password),
    database,
    wantsPlain: sslmode === 'disable',
  }
}
