import { type Auth, typedFieldsOf } from '../auth/auth.ts'
import type { Setting } from '../auth/settings.ts'
import { factNames } from '../auth/tenants.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { placeholdersIn } from '../endpoints/placeholders.ts'

/** The parts of a connector that have placeholders. */
interface Checked {
  service: string
  ask?: Record<string, unknown> | undefined
  auth: Auth
  api: {
    headers?: Record<string, string>
    query?: Record<string, string>
    hosts?: readonly string[]
    baseUrlFrom?: { fact: string }
  }
  endpoints: Record<string, Endpoint>
  settings: readonly Setting[]
}

/** Throws `RangeError` for a placeholder that nothing fills, or an endpoint at a host that the service does not declare. */
export function checkPlaceholders({ service, ask, auth, api, endpoints, settings }: Checked): void {
  const setting = settings.map(({ name }) => `setting.${name}`)
  const facts = factNames(auth).map((name) => `fact.${name}`)
  const check = (where: string, texts: Record<string, string> | undefined, known: readonly string[]) => {
    for (const [field, text] of Object.entries(texts ?? {}))
      for (const name of placeholdersIn(text))
        if (!known.includes(name)) throw unknown(service, `${where}.${field}`, name, known)
  }
  const answers = [...Object.keys(ask ?? {}), ...Object.keys(typedFieldsOf(auth) ?? {})]
  check('api.headers', api.headers, ['key', ...setting, ...facts, ...answers])
  check('api.query', api.query, ['key', ...setting, ...facts, ...answers])
  if (auth.kind === 'oauth2') {
    check('auth.parameters.authorize', auth.parameters.authorize, ['key', ...setting, ...answers])
    check('auth.parameters.token', auth.parameters.token, ['key', 'secret', ...setting])
    check('auth.parameters.refresh', auth.parameters.refresh, ['key', 'secret', 'token', ...setting])
    const { unlessSetting } = auth.scope
    if (unlessSetting !== undefined && !setting.includes(`setting.${unlessSetting}`))
      throw unknown(service, 'auth.scope.unlessSetting', `setting.${unlessSetting}`, setting)
  }
  if (api.baseUrlFrom !== undefined && !facts.includes(`fact.${api.baseUrlFrom.fact}`))
    throw unknown(service, 'api.baseUrlFrom.fact', `fact.${api.baseUrlFrom.fact}`, facts)
  for (const [name, { path, headers, host, children }] of Object.entries(endpoints)) {
    const parent = children === undefined ? [] : ['parent']
    check(`endpoints.${name}`, { path }, ['id', 'handle', ...parent, ...facts])
    check(`endpoints.${name}.headers`, headers, facts)
    if (host !== undefined && !(api.hosts ?? []).includes(host))
      throw new RangeError(`${service}: endpoints.${name}.host is “${host}”, which is not one of api.hosts`)
  }
}

function unknown(service: string, where: string, name: string, known: readonly string[]): RangeError {
  const list = known.length === 0 ? 'none' : known.map((one) => `{${one}}`).join(', ')
  return new RangeError(`${service}: ${where} has the placeholder {${name}}, which nothing fills; known here: ${list}`)
}
