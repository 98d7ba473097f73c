import { connectors } from '#connectors/index.ts'
import { encodeBody } from '#kit/endpoints/request-body.ts'
import { serviceNames, startLab } from '../../../lab/lab.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { type RegisteredKeys, registerAt } from '../../harness/callback.ts'
import { FEW_ITEMS } from '../../harness/lab.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { send } from '../../harness/send.ts'
import { newCode, REDIRECT, redeem, signIn } from '../../harness/sign-in.ts'
import { startTributary } from '../../harness/start.ts'
import { CONNECTORS } from './fixture.ts'

export type AllServices = Awaited<ReturnType<typeof startAllServices>>
export type Service = (typeof serviceNames)[number]

/** The service, every service of the lab, and an app with keys for all of them. Nothing is synced. */
export async function startAllServices() {
  const lab = await startLab({ services: serviceNames, maxActivity: FEW_ITEMS })
  const tributary = await startTributary({
    ...LOOPBACK_TYPED,
    TRIBUTARY_CONNECTORS: CONNECTORS,
  }).catch(async (error: unknown) => {
    await lab.close()
    throw error
  })
  const newApp = async (services: readonly Service[] = serviceNames) => {
    const made = await makeApp(tributary, { redirectUris: [REDIRECT] })
    const keys: Record<string, RegisteredKeys> = {}
    for (const service of services) keys[service] = await registerAt(tributary, made, service, lab.services[service])
    return { ...made, keys }
  }
  const app = await newApp()
  const at = { tributary, app }
  /** A call that only works with a valid token: of the person, or of the first endpoint where no call names them. */
  const selfOf = (service: Service) => {
    const { self, endpoints } = connectors.find((each) => each.service === service)!
    const { method, path, query, body } = self.from === 'call' ? self : Object.values(endpoints)[0]!
    const encoded = body && encodeBody(body)
    return {
      method,
      path: `/proxy/${service}${path}?${new URLSearchParams(query).toString()}`,
      ...(encoded && { body: encoded.text, headers: { 'content-type': encoded.type } }),
    }
  }
  return {
    ...at,
    lab,
    sql: tributary.sql,
    newApp,
    /** The account of another person, to which profiles can be added. */
    otherAccount: async (by: App = app, service: Service = 'demo-micro') =>
      (await signIn(at, service, 'finn', {}, by)).access_token,
    signIn: async (service: Service, person: string, account?: string, by: App = app) =>
      (await signIn(at, service, person, account === undefined ? {} : { access_token: account }, by)).access_token,
    /** The status of a call with the profile's token, through the proxy. */
    statusAt: async (service: Service, token: string) => {
      const { method, path, ...rest } = selfOf(service)
      const { status, body } = await send(at, method, path, { token, ...rest })
      // Some services have their status in the body.
      if (service === 'slack' && body['ok'] === false) return 401
      return service === 'withings' && body['status'] !== 0 ? Number(body['status']) : status
    },
    /** Disconnects the profiles of a service; returns what was done with their tokens. */
    disconnect: async (service: string, token: string) => {
      const { body } = await send(at, 'DELETE', `/profiles/${service}`, { token })
      return (body['deleted'] as { service_token: string }[]).map(({ service_token: result }) => result)
    },
    /** Signs in and returns the service's own token as well. */
    signInWithToken: async (service: Service, person: string, account?: string, by: App = app) => {
      const query: Record<string, string> = account === undefined ? {} : { access_token: account }
      const code = await newCode(at, service, person, query, by)
      const response = await redeem(at, code, { profile: 'last', auth: 'true' }, by)
      const { access_token: token, profile } = (await response.json()) as {
        access_token: string
        profile: Record<string, { auth: { token: string; token_secret?: string } }[]>
      }
      return { token, atService: profile[service]![0]!.auth }
    },
    stop: async () => {
      await tributary.stop()
      await lab.close()
    },
  }
}
