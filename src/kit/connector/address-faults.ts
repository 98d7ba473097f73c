import type { Ask } from '../auth/ask.ts'
import type { Auth } from '../auth/auth.ts'
import { typedFieldsOf } from '../auth/auth.ts'
import type { SelfReader } from '../auth/self.ts'
import { factNames, tenantsOf } from '../auth/tenants.ts'
import { placeholdersIn } from '../endpoints/placeholders.ts'
import type { Api } from './connector.ts'
import { isOpen } from './host-faults.ts'

/** The parts of a connector that say where calls go, and what they carry. */
interface Addressed {
  ask?: Ask | undefined
  auth: Auth
  api: Pick<Api, 'baseUrl' | 'baseUrlFrom' | 'hosts'>
  self: Pick<SelfReader, 'path' | 'host' | 'query' | 'headers'>
}

/** A placeholder in an address that nothing fills, or that must not stand there. */
export interface AddressFault {
  field: string
  expected: string
}

const SIGN_IN_ADDRESSES = ['authorizeUrl', 'tokenUrl', 'refreshUrl', 'parUrl', 'requestTokenUrl', 'accessTokenUrl']

/** Finds addresses that no call could be made to, and those that would carry a secret: addresses are logged. */
export function addressFaults({ ask, auth, api, self }: Addressed): AddressFault[] {
  const faults: AddressFault[] = []
  const typed = Object.entries(typedFieldsOf(auth) ?? {})
  const secrets = typed.filter(([, { secret }]) => secret === true).map(([name]) => name)
  const answers = [...Object.keys(ask ?? {}), ...typed.map(([name]) => name)]
  const facts = factNames(auth).map((name) => `fact.${name}`)
  const left = Object.keys(ask ?? {}).filter(
    (name) => ask?.[name]?.optional === true && ask[name].default === undefined,
  )
  const check = (field: string, text: unknown, known: readonly string[]) => {
    for (const name of typeof text === 'string' ? placeholdersIn(text) : [])
      if (secrets.includes(name))
        faults.push({ field, expected: `must not have {${name}}: a secret in an address would be logged` })
      else if (left.includes(name))
        faults.push({
          field,
          expected: `must not have {${name}}: an address cannot be left out, so its question needs a default`,
        })
      else if (!known.includes(name))
        faults.push({ field, expected: `must not have {${name}}, which nothing fills there; known: ${listed(known)}` })
  }
  check('api.baseUrl', hostOf(api.baseUrl), answers)
  check('api.baseUrl', api.baseUrl.slice(hostOf(api.baseUrl).length), [...answers, ...facts])
  for (const name of SIGN_IN_ADDRESSES) check(`auth.${name}`, (auth as unknown as Fields)[name], Object.keys(ask ?? {}))
  if (auth.kind === 'typed')
    for (const name of ['exchange', 'refresh'] as const)
      for (const part of ['url', 'path'] as const)
        check(`auth.${name}.${part}`, auth[name]?.[part], [...answers, 'token', 'refresh_token'])
  const tenants = tenantsOf(auth)
  check('auth.tenants.url', tenants?.url, Object.keys(ask ?? {}))
  if (tenants !== undefined && !Object.hasOwn(tenants.facts, tenants.id))
    faults.push({ field: 'auth.tenants.id', expected: 'must be one of the facts of a tenant' })
  faults.push(...hostFactFaults(auth, api))
  check('api.baseUrlFrom.path', api.baseUrlFrom?.path, facts)
  if (self.host !== undefined && (self.host.includes('*') || api.hosts?.includes(self.host) !== true))
    faults.push({ field: 'self.host', expected: 'must be one of api.hosts' })
  check('self.path', self.path, ['sub', ...answers, ...facts])
  for (const part of ['query', 'headers'] as const)
    for (const [name, text] of Object.entries(self[part]))
      check(`self.${part}.${name}`, text, ['sub', ...answers, ...facts])
  const texts = JSON.stringify([auth, api])
  for (const [name, { prefix = '', suffix = '' }] of Object.entries(ask ?? {}))
    if (`${prefix}${suffix}` !== '' && !texts.includes(`${prefix}{${name}}${suffix}`))
      faults.push({ field: `ask.${name}`, expected: 'must have the prefix and suffix with which its answer is used' })
  return faults
}

type Fields = Record<string, unknown>

/** A fact that chooses a host gets the token, so the service must have told it, and the rest of the host must be the service's own. */
function hostFactFaults(auth: Auth, { baseUrlFrom: rule }: Addressed['api']): AddressFault[] {
  if (rule === undefined) return []
  const faults: AddressFault[] = []
  const report = (field: string, expected: string) => void faults.push({ field: `api.baseUrlFrom.${field}`, expected })
  if (auth.kind === 'oauth2' && auth.facts[rule.fact]?.from === 'callback')
    report('fact', 'must not come from the callback: the browser would choose where the token goes')
  const names = rule.below === undefined ? rule.hosts : [`*.${rule.below}`]
  for (const name of names)
    if (!/^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/.test(name))
      report(rule.below === undefined ? 'hosts' : 'below', `must be names of hosts of the service: ${name}`)
    else if (name.startsWith('*.') && isOpen(`https://${name}`))
      report(
        rule.below === undefined ? 'hosts' : 'below',
        `must not be a name below which anybody can have one: ${name}`,
      )
  return faults
}

/** Scheme and host, which the placeholder of a whole address may be. */
const hostOf = (address: string): string => /^[a-z]+:\/\/[^/?#]*|^\{\w+\}/i.exec(address)?.[0] ?? ''

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `{${name}}`).join(', ')
