import { hostFieldOf } from '#kit/auth/ask.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'
import type { TypedField } from '#kit/auth/typed.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import type { Upstream } from '#upstream/request/send.ts'
import { type Browser, createBrowser, type Page } from '../../../../lab/browser.ts'
import { type App, makeApp, type ServiceKeys, setKeys } from '../../../harness/app.ts'
import { send } from '../../../harness/send.ts'
import { REDIRECT, redeem, startUrl } from '../../../harness/sign-in.ts'
import type { Tributary } from '../../../harness/start.ts'
import { personIn } from './counterpart.ts'
import { makeKeys, type Variant } from './keys.ts'
import type { Recorder } from './recorder.ts'
import { CHECK_OF, foreignSecrets, newSecret, secretsIn, type World } from './secrets.ts'
import type { Step } from './steps.ts'

/** A sign-in that was begun, and that only its own callback may finish. */
interface Begun {
  by: AppName
  /** Where its code has to go. */
  world: World
  browser: Browser
  /** What the callback names it by. */
  named: Record<string, string>
  redirect: string
  /** What the server of its world says about itself in a redirect. */
  iss: string | undefined
  /** It was presented at a callback, and is used up. */
  isUsed: boolean
}

type AppName = 'H' | 'D' | 'R'

export interface Violation {
  check: 'S63' | 'S65' | 'S67'
  text: string
}

export interface WalkDeps {
  tributary: Tributary
  upstream: Upstream
  connector: Connector
  honest: Recorder
  hostile: Recorder
  violations: Violation[]
}

export type Walk = Awaited<ReturnType<typeof newWalk>>

/** Two apps, two browsers and two worlds for one connector. */
export async function newWalk(deps: WalkDeps, variant: Variant) {
  const { tributary, connector, honest, hostile } = deps
  const { service, auth } = connector
  honest.peer = hostile
  hostile.peer = honest
  const fields = typedFieldsOf(auth)
  const asksServer =
    Object.values(connector.ask ?? {}).some(({ kind }) => kind !== 'text') ||
    Object.values(fields ?? {}).some(({ format }) => format !== undefined && format !== 'text')
  const apps = {} as Record<AppName, App>
  for (const name of ['H', 'D', 'R'] as const)
    apps[name] = await makeApp(tributary, { name: `App ${name}`, redirectUris: [REDIRECT] })
  const { hKey, honestKeys, hostileKeys } = makeKeys(connector, honest.url, hostile.url)
  const keysOf = new Map<AppName, ServiceKeys>()
  await setKeysOf('H', honestKeys(variant.honestOverrides))
  await setKeysOf('R', honestKeys(true))
  await setKeysOf(
    'D',
    hostileKeys(variant.hostileOverrides, variant.stolenKey ? hKey : newSecret('APPD', service, 'key')),
  )
  const stops = (url: string) => !url.startsWith(`${tributary.url}/`)
  const browsers = [createBrowser({ stopAt: stops }), createBrowser({ stopAt: stops })] as const
  const begun: Begun[] = []
  const sessions: { by: AppName; token: string }[] = []
  /** Codes that were presented, and where each may go. */
  const codes = new Map<string, World | 'nowhere'>()
  const counts = { begun: { HONEST: 0, HOSTILE: 0 }, signedIn: { HONEST: 0, HOSTILE: 0 } }
  let checked = { honest: honest.received.length, hostile: hostile.received.length }
  let last = ''

  /** Where people name their server, H has no key: it registers at each, or needs none. */
  async function setKeysOf(name: AppName, keys: ServiceKeys): Promise<void> {
    const isOAuth = auth.kind === 'oauth1' || auth.kind === 'oauth2'
    if (asksServer && (!isOAuth || (name !== 'D' && keys.overrides === undefined))) return
    if (!isOAuth && name !== 'D') return
    const registers = auth.kind === 'oauth2' && auth.registration !== undefined
    if (registers && name !== 'D' && keys.overrides === undefined) return
    await setKeys(tributary, apps[name], service, keys)
    keysOf.set(name, keys)
  }

  /** The world that gets what a sign-in of this app leads to. */
  function worldOf(by: AppName, named: World): World {
    const isPinned = hostFieldOf(connector.ask) === undefined && keysOf.has(by)
    if (asksServer && !isPinned) return named
    return by === 'D' ? 'HOSTILE' : 'HONEST'
  }

  const recorderOf = (world: World) => (world === 'HONEST' ? honest : hostile)

  function answersFor(world: World): Record<string, string> {
    const { host } = recorderOf(world)
    return Object.fromEntries(
      Object.entries(connector.ask ?? {}).map(([name, { kind, example }]) => [
        name,
        kind === 'host' ? host : kind === 'handle' ? personIn(world, connector) : example,
      ]),
    )
  }

  function typedFor(world: World): Record<string, string> {
    return Object.fromEntries(
      Object.entries(fields ?? {}).map(([name, field]) => [`field_${name}`, valueOf(field, recorderOf(world))]),
    )
  }

  function valueOf({ format, pattern, secret }: TypedField, { url, host, world }: Recorder): string {
    if (format === 'address' || format === 'url') return url
    if (format === 'host') return host
    const text = secret === true ? newSecret(world, service, 'pw') : 'ada'
    return [text, `sk_${text}`].find((each) => pattern === undefined || pattern.exec(each)?.[0] === each) ?? text
  }

  async function begin(by: AppName, named: World, browser: Browser): Promise<void> {
    const world = worldOf(by, named)
    let page = await browser.open(startUrl({ tributary }, service, answersFor(named), apps[by]))
    const ask = page.forms.find(({ action }) => action === '/oauth/ask')
    if (ask !== undefined) page = await browser.submit(page, ask, { answer: 'yes' })
    const typed = page.forms.find(({ action }) => action === '/oauth/typed')
    if (typed !== undefined) {
      page = await browser.submit(page, typed, { ...typedFor(world), answer: 'yes' })
      // A password that was typed has been used: nothing comes back.
      if (recorderOf(world).received.length > checked[world === 'HONEST' ? 'honest' : 'hostile'])
        counts.begun[world] += 1
    }
    await arrived(by, world, page)
    if (!page.stopped || page.url.startsWith(REDIRECT)) return
    const params = parametersOf(new URL(page.url))
    const success = URL.parse(params.get('success_url') ?? '')
    const redirect = success ?? URL.parse(params.get('redirect_uri') ?? params.get('oauth_callback') ?? '')
    const token = new URL(page.url).searchParams.get('oauth_token')
    const state = params.get('state') ?? success?.searchParams.get('state')
    if (redirect === null) return
    counts.begun[world] += 1
    begun.push({
      by,
      world,
      browser,
      named: auth.kind === 'oauth1' ? { oauth_token: token ?? '' } : { state: state ?? '' },
      redirect: `${redirect.origin}${redirect.pathname}`,
      iss: await issuerOf(by, named, world),
      isUsed: false,
    })
  }

  /** The parameters of a page of a service: in its address, pushed before, or sent for the request token. */
  function parametersOf(url: URL): URLSearchParams {
    const name = url.searchParams.get('request_uri') ?? url.searchParams.get('oauth_token') ?? ''
    const { pushed } = url.origin === honest.url && !hostile.pushed.has(name) ? honest : hostile
    return pushed.get(name) ?? honest.pushed.get(name) ?? url.searchParams
  }

  /** What the server of a sign-in says about itself in a redirect; undefined if it does not. */
  async function issuerOf(by: AppName, named: World, world: World): Promise<string | undefined> {
    if (auth.kind !== 'oauth2' || (auth.issuer === undefined && auth.discover === undefined)) return undefined
    const answers = answersFor(named)
    const isOwnKey = hostFieldOf(connector.ask) === undefined
    const key = { key: '', secret: '', overrides: (isOwnKey ? keysOf.get(by)?.overrides : undefined) ?? {} }
    const home = auth.home === undefined || keysOf.has(by) ? {} : { issuer: recorderOf(world).url }
    const at = { connector: fillConnector(connector, answers), key, instance: { ...answers, ...home } }
    return locateService(deps.upstream, at).then(
      ({ addresses }) => addresses.issuer,
      () => undefined,
    )
  }

  /** The end of a sign-in: the app exchanges its code, if it got one. */
  async function arrived(by: AppName, world: World, page: Page): Promise<void> {
    const leaked = page.chain.filter((url) => url.startsWith(REDIRECT)).flatMap(secretsIn)
    for (const { kind, text } of leaked) violate(CHECK_OF[kind], `${text} in a redirect to the app`)
    const code = page.url.startsWith(REDIRECT) ? new URL(page.url).searchParams.get('code') : null
    if (code === null) {
      last = page.url.startsWith(REDIRECT) ? page.url.slice(REDIRECT.length) : `${page.status} ${page.url}`
      return
    }
    const response = await redeem({ tributary, app: apps[by] }, code, {}, apps[by])
    const { access_token: token } = (await response.json()) as { access_token?: string }
    if (token === undefined) return
    counts.signedIn[world] += 1
    sessions.push({ by, token })
  }

  /** The server of a world sends the browser of a sign-in back. */
  async function back(
    { from, to, code, says, browser, post }: Extract<Step, { do: 'back' }>,
    isRefused = false,
  ): Promise<void> {
    const sender = chosen(from, begun)
    // Once in a while one that is used up.
    const target = chosen(to, post ? begun : begun.filter(({ isUsed }) => !isUsed))
    if (sender === undefined || target === undefined) return
    target.isUsed = true
    const isHonest = code === 'honest' && (sender.world === 'HONEST' || acceptsAnyRedirect(sender))
    // An honest server sends its code only to the address that the client has registered there.
    const address = isHonest ? sender.redirect : addressFor(says.address, target)
    const secret = newSecret(isHonest ? 'HONEST' : 'HOSTILE', service, auth.kind === 'app_password' ? 'pw' : 'code')
    const value = isHonest ? secret : `junk-${secret.toLowerCase()}`
    const told = isHonest || says.iss === 'other' ? honestIssuer() : says.iss === 'own' ? target.iss : undefined
    const site = isHonest ? honest.url : says.iss === 'other' ? honest.url : hostile.url
    const params = new URLSearchParams({
      ...target.named,
      ...(auth.kind === 'oauth1' ? { oauth_verifier: value } : {}),
      ...(auth.kind === 'oauth2' ? { code: value } : {}),
      ...(auth.kind === 'app_password'
        ? { [auth.names.name]: 'ada', [auth.names.password]: value, [auth.names.server]: site }
        : {}),
      ...(told === undefined ? {} : { iss: told }),
    })
    if (!isHonest && says.repeated) params.append('iss', honest.url)
    if (!isHonest && says.error) params.set('error', 'access_denied')
    const holder = browser === 'own' ? target.browser : browsers[browser === 'victim' ? 0 : 1]
    const isOwn = address === target.redirect && holder === target.browser
    codes.set(value, isOwn && !isRefused ? target.world : 'nowhere')
    const page = await present(holder, address, params, post)
    if (!isOwn && page.url.startsWith(REDIRECT))
      violate('S63', `the app heard of a callback that is not the sign-in's own: ${page.url}`)
    await arrived(target.by, target.world, page)

    function honestIssuer(): string | undefined {
      return sender!.world === 'HONEST' ? sender!.iss : begun.find(({ world }) => world === 'HONEST')?.iss
    }
  }

  const chosen = (which: number | World, among: Begun[]): Begun | undefined =>
    typeof which === 'number'
      ? among[which % Math.max(1, among.length)]
      : among.findLast(({ world }) => world === which)

  /** Servers that know no clients send what they issue to any address, and name themselves beside it. */
  function acceptsAnyRedirect(sender: Begun): boolean {
    if (auth.kind === 'app_password') return true
    const isDocument = auth.kind === 'oauth2' && auth.registration?.kind === 'document' && !keysOf.has(sender.by)
    return isDocument && begun.some(({ world, iss }) => world === 'HONEST' && iss !== undefined)
  }

  function addressFor(which: 'own' | 'shared' | 'service' | 'random' | number, target: Begun): string {
    if (typeof which === 'number') return begun[which % begun.length]!.redirect
    if (which === 'own') return target.redirect
    const shared = `${tributary.url}/auth/${service}/callback`
    if (which === 'shared') return shared
    return which === 'random' ? `${shared}/abcdefghij0123456789` : `${tributary.url}/auth/github/callback`
  }

  async function present(browser: Browser, address: string, params: URLSearchParams, post: boolean): Promise<Page> {
    const isPosting = auth.kind === 'oauth2' && auth.responseMode === 'form_post'
    if (!isPosting && !post) return browser.open(`${address}?${params.toString()}`)
    const response = await fetch(address, { method: 'POST', body: params, redirect: 'manual' })
    const location = response.headers.get('location')
    await response.body?.cancel()
    return browser.open(location === null ? `${tributary.url}/robots.txt` : new URL(location, address).href)
  }

  /** The operator gives the app another key, or the key other addresses, before the code of a sign-in comes back. */
  async function rekey(to: 'addresses' | 'key'): Promise<void> {
    if (fields !== undefined || asksServer) return
    await setKeysOf('R', honestKeys(true))
    await begin('R', 'HONEST', browsers[0])
    const index = begun.findIndex(({ by }) => by === 'R')
    if (index < 0) return
    const other = { ...honestKeys(true), key: newSecret('APPH', service, 'key') }
    await setKeysOf('R', to === 'key' ? other : hostileKeys('each', hKey))
    const says = { address: 'own', iss: 'own', repeated: false, error: false } as const
    await back({ do: 'back', from: index, to: index, code: 'honest', says, browser: 'own', post: false }, true)
    begun.splice(index, 1)
  }

  async function use({ session, how, path }: Extract<Step, { do: 'use' }>): Promise<void> {
    const chosen = sessions[session % Math.max(1, sessions.length)]
    if (chosen === undefined) return
    const { token } = chosen
    if (how === 'disconnect') {
      await send({ tributary }, 'DELETE', `/profiles/${service}`, { token })
      sessions.splice(session % sessions.length, 1)
      return
    }
    const other = worldOf(chosen.by, 'HONEST') === 'HONEST' ? hostile : honest
    const paths = [
      connector.self.path || '/',
      `//${other.host}/x`,
      `/@${other.host}/x`,
      `/../../x`,
      `/x?url=${other.url}`,
    ]
    // Not followed, and not parsed: the answer may be anything.
    const response = await fetch(`${tributary.url}/proxy/${service}${paths[path % paths.length]}`, {
      method: how === 'write' ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
    })
    last = `${response.status} ${(await response.text()).slice(0, 200)}`
  }

  function violate(check: Violation['check'], text: string): void {
    deps.violations.push({ check, text: `${service}: ${text} (${JSON.stringify(variant)})` })
  }

  /** Looks at every byte that was received since the last step. */
  function check(after: string): void {
    for (const [name, recorder] of [
      ['honest', honest],
      ['hostile', hostile],
    ] as const) {
      for (const request of recorder.received.slice(checked[name])) {
        for (const { kind, text } of foreignSecrets(request, recorder.world, service))
          if (kind !== 'key' || !variant.stolenKey)
            violate(CHECK_OF[kind], `the ${name} server received ${text} after ${after}: ${request.slice(0, 300)}`)
        for (const [code, allowed] of codes)
          if (request.includes(code) && allowed !== recorder.world)
            violate('S63', `${code} of another callback reached the ${name} server after ${after}`)
      }
    }
    checked = { honest: honest.received.length, hostile: hostile.received.length }
  }

  /** Each code is used once. */
  function checkOnce(): void {
    for (const code of codes.keys()) {
      const sent = [...honest.received, ...hostile.received].filter((request) => request.includes(code))
      if (sent.length > 1 && auth.kind !== 'app_password') violate('S63', `${code} was sent ${sent.length} times`)
    }
  }

  return {
    counts,
    sessions,
    why: () => last,
    check,
    checkOnce,
    run: async (step: Step): Promise<void> => {
      if (step.do === 'start') await begin(step.by, step.named, browsers[step.browser])
      if (step.do === 'back') await back(step)
      if (step.do === 'use') await use(step)
      if (step.do === 'rekey') await rekey(step.to)
      if (step.do === 'answer') recorderOf(step.world).mode = step.mode
      if (step.do === 'copy') {
        // A hostile service gives out the request token that an honest one has given out.
        const [known] = begun.filter(({ world }) => world === 'HONEST').map(({ named }) => named['oauth_token'])
        hostile.requestToken = known === undefined ? undefined : () => known
      }
      check(JSON.stringify(step))
    },
  }
}
