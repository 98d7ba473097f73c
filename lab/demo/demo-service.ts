import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LabClock } from '../base/clock.ts'
import { type LabService, startService } from '../base/service.ts'
import type { ServiceDefinition } from '../base/service-parts.ts'
import { type StateFile, stateFile } from './state-file.ts'

export const actions = ['week_later', 'down', 'up', 'revoke', 'throttle', 'unthrottle'] as const
export type Action = (typeof actions)[number]

const weekMs = 7 * 86_400_000
/**
 * How far the data is behind at first. Readers do not show what is in the future, so “a week later” needs weeks that have passed. When
 * they are used up, it fills the time since the last one.
 */
const behindAtFirstMs = 4 * weekMs

/** Few enough for a person to see a sync wait, and to see it go on. */
const throttledLimit = { limit: 10, windowSeconds: 30 }

/** Pictures stay: they stand for a vendor's content network, which an outage of the API does not end. */
const downPaths = ['/api/*', '/oauth/*', '/login', '/consent']

/** The part of the state that belongs to the demo and not to the service. */
interface DemoState {
  startMs: number
  seed: string
  /** How far the time in the data is behind the clock. */
  behindMs: number
  /** Until when there is data. */
  filledUntilMs: number
  down: boolean
  throttled: boolean
  /** Secrets of the apps that were registered here, by key: a second registration must not end the tokens of the first. */
  apps: Record<string, string>
}

export interface DemoService {
  service: LabService
  shown(): { service: string; title: string; url: string; down: boolean; throttled: boolean; now: number }
  act(action: Action): void
  /** Registers an app that receives people at an address of the server, or gives a registered one another address. */
  register(app: { name: string; key: string; redirectUri: string }): { key: string; secret: string }
}

export interface DemoServiceOptions {
  folder: string
  /** Where the socket is made. */
  sockets: string
  clock: LabClock
  seed: string
  url: () => string
  reach: (url: string) => string
}

/** Starts a demo service whose tokens, apps, edits, time and faults are those of its last run. */
export async function startDemoService(
  definition: ServiceDefinition,
  options: DemoServiceOptions,
): Promise<DemoService> {
  const file: StateFile = stateFile(join(options.folder, `${definition.name}.json`))
  const saved = file.read() as ({ demo: DemoState } & Record<string, unknown>) | undefined
  const state: DemoState = saved?.demo ?? {
    startMs: options.clock.now() - behindAtFirstMs,
    seed: options.seed,
    behindMs: behindAtFirstMs,
    filledUntilMs: options.clock.now() - behindAtFirstMs,
    down: false,
    throttled: false,
    apps: {},
  }
  const socket = join(options.sockets, `${definition.name}.sock`)
  // Of a process that was killed; the caller has made sure that no other one runs on this folder.
  rmSync(socket, { force: true })
  const service = await startService(definition, {
    clock: options.clock,
    seed: state.seed,
    listen: { path: socket },
    demo: {
      url: options.url,
      reach: options.reach,
      startMs: state.startMs,
      dataNow: () => options.clock.now() - state.behindMs,
      save: () => save(),
    },
  })
  const { kept = {} } = service
  const limits = { ...(service.settings() as { rateLimit: object }).rateLimit }

  function save(): void {
    const parts = Object.entries(kept).map(([name, part]) => [name, part.save()])
    file.write({ demo: state, ...Object.fromEntries(parts) })
  }

  function applyFaults(): void {
    service.faults.clear()
    if (!state.down) return
    for (const path of downPaths)
      service.faults.add({ path, kind: 'status', status: 503, retryAfterSeconds: 5, times: 0 })
  }

  const applyLimits = () => service.configure({ rateLimit: state.throttled ? throttledLimit : limits })

  for (const [name, part] of Object.entries(kept)) if (saved?.[name] !== undefined) part.load(saved[name])
  applyFaults()
  applyLimits()
  save()

  return {
    service,
    shown: () => ({
      service: service.name,
      title: service.title,
      url: options.url(),
      down: state.down,
      throttled: state.throttled,
      now: options.clock.now() - state.behindMs,
    }),
    act(action) {
      if (action === 'week_later') {
        state.behindMs = Math.max(0, state.behindMs - weekMs)
        const untilMs = options.clock.now() - state.behindMs
        service.later?.({ fromMs: Math.max(untilMs - weekMs, state.filledUntilMs), untilMs })
        state.filledUntilMs = untilMs
      }
      if (action === 'revoke') service.tokens.revoke()
      if (action === 'down' || action === 'up') state.down = action === 'down'
      if (action === 'throttle' || action === 'unthrottle') state.throttled = action === 'throttle'
      applyFaults()
      applyLimits()
      save()
    },
    register({ name, key, redirectUri }) {
      const known = state.apps[key]
      const registered = service.register({
        name,
        key,
        redirectUris: [redirectUri],
        ...(known === undefined ? {} : { secret: known }),
      })
      state.apps[key] = registered.secret
      save()
      return registered
    },
  }
}
