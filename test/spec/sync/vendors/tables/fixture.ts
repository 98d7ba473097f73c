import { join } from 'node:path'
import { connectors } from '#connectors/index.ts'
import type { OAuth2 } from '#kit/auth/auth.ts'
import { type ServiceName, serviceNames, startLab } from '../../../../../lab/lab.ts'
import { type App, basic, makeApp } from '../../../../harness/app.ts'
import { registerAt } from '../../../../harness/callback.ts'
import { FEW_ITEMS } from '../../../../harness/lab.ts'
import { LOOPBACK } from '../../../../harness/loopback.ts'
import { send } from '../../../../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeemed, startUrl, walk } from '../../../../harness/sign-in.ts'
import { startTributary } from '../../../../harness/start.ts'
import { type Progress, syncProgress } from '../../../../harness/sync.ts'
import { until } from '../../../../harness/until.ts'

export type Tables = Awaited<ReturnType<typeof startTables>>

/** The person without data: every endpoint is one call. */
export const PERSON = 'finn'

export function connectorOf(service: ServiceName) {
  const found = connectors.find((one) => one.service === service)
  if (found === undefined) throw new Error(`There is no connector ${service}`)
  return found
}

/** Every service of the lab, the running service with the built-in connectors, and an app with keys for all of them. */
export async function startTables() {
  const lab = await startLab({ services: serviceNames, maxActivity: FEW_ITEMS })
  const tributary = await startTributary({
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
  }).catch(async (error: unknown) => {
    await lab.close()
    throw error
  })
  const running = { tributary }
  const newApp = async (services: readonly ServiceName[] = serviceNames): Promise<App> => {
    const made = await makeApp(tributary, { redirectUris: [REDIRECT] })
    for (const service of services) await registerAt(tributary, made, service, lab.services[service])
    // They cost money, so they are off at first.
    await tributary.admin('PATCH', `/admin/apps/${made.clientId}/spending`, { endpoints: { 'x/*': true } })
    return made
  }
  const app = await newApp()
  const progress = (service: ServiceName, token: string) => syncProgress(running, token, service)

  return {
    lab,
    tributary,
    app,
    appHeaders: basic(app),
    newApp,
    progress,
    startOf: (service: ServiceName, query: Record<string, string> = {}, by: App = app) =>
      startUrl(running, service, { flag: 'dm', ...query }, by),
    /** Signs a person in with every permission, except those unticked. */
    signIn: async (
      service: ServiceName,
      { person = PERSON, by = app, query = {}, unticked }: SignInOptions = {},
    ): Promise<string> => {
      const kept = unticked === undefined ? {} : { permissions: asked(service).filter((each) => each !== unticked) }
      const back = await walk(
        startUrl(running, service, { flag: 'dm', ...query }, by),
        { person, ...kept },
        newBrowser(),
      )
      return (await redeemed({ ...running, app: by }, codeOf(back), by)).access_token
    },
    /** Waits until every endpoint has had its turn after that time. */
    everyEndpointRan: (service: ServiceName, token: string, afterMs = 0): Promise<Progress> =>
      until(
        `every endpoint of ${service} has had its turn`,
        () => progress(service, token),
        (now) => {
          const names = Object.keys(connectorOf(service).endpoints)
          const hadTurn = ({ state, last_run: at = 0, last_reason: why }: Progress[string]) =>
            why === 'scope_missing' || (at > afterMs && (state === 'done' || state === 'failing'))
          return names.every((name) => now[name] !== undefined && hadTurn(now[name]))
        },
      ),
    syncNow: (service: ServiceName, token: string) => send(running, 'POST', `/profiles/${service}/sync`, { token }),
    /** A call for the person’s own record, through the proxy; for another one where no call returns it. */
    proxied: (service: ServiceName, token: string) => {
      const { from, method, path, query, body } = connectorOf(service).self
      if (from !== 'call')
        return send(running, 'POST', `/proxy/${service}/v2/user`, { token, form: { action: 'getdevice' } })
      const sent = body !== undefined && 'json' in body ? { json: body.json } : {}
      return send(running, method, `/proxy/${service}${path}`, { token, query, ...sent })
    },
    stateOf: async (service: ServiceName, by: App = app): Promise<string | undefined> => {
      const rows = await tributary.sql<{ state: string }>(
        'select state from profile where service = $1 and app_id = $2 order by connected_at desc limit 1',
        [service, by.clientId],
      )
      return rows[0]?.state
    },
    stop: async () => {
      await tributary.stop()
      await lab.close()
    },
  }
}

interface SignInOptions {
  person?: string
  by?: App
  query?: Record<string, string>
  /** A permission to untick on the consent page. */
  unticked?: string | undefined
}

/** The permissions on the consent page. */
function asked(service: ServiceName): string[] {
  const { scope, flags } = connectorOf(service).auth as OAuth2
  return [...scope.default, ...(flags['dm']?.scope ?? [])]
}
