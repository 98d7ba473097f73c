import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Api } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { type LearnedLimits, type ResponseRecovery, readLimits } from './learn-limits.ts'

const NOW = 1_700_000_000_000
const S = 1000
const at = (seconds: number) => NOW + seconds * S

const few = { calls: 10, perS: 60 }
const names = { remaining: 'left', reset: 'reset' }
const noLimits: Partial<Api> = {}
const byApp: Partial<Api> = { limits: { app: few }, rate: rateFrom(names) }
const byPerson: Partial<Api> = { limits: { person: few }, rate: rateFrom(names) }
const byBoth: Partial<Api> = { limits: { app: few, person: few }, rate: rateFrom(names) }
const byEverybody: Partial<Api> = { limits: { service: few }, rate: rateFrom(names) }
const saysPerson: Partial<Api> = { limits: { app: few }, rate: rateFrom({ ...names, of: 'person' }) }
const saysApp: Partial<Api> = { limits: { person: few }, rate: rateFrom({ ...names, of: 'app' }) }
const saysEndpoint: Partial<Api> = { limits: { person: few }, rate: rateFrom({ ...names, of: 'endpoint' }) }
const throwing: Partial<Api> = {
  limits: { person: few },
  rate: () => {
    throw new Error('odd headers')
  },
}

const left = (calls: number, resetS: number) => ({ left: String(calls), reset: String(at(resetS) / S) })

type Case = [
  what: string,
  api: Partial<Api>,
  status: number,
  headers: Record<string, string>,
  recovery: ResponseRecovery,
  scope: LearnedLimits['scope'],
  refusedForS: number | undefined,
  pausedForS: number | undefined,
]

const CASES: Case[] = [
  ['no headers', noLimits, 200, {}, undefined, 'app', undefined, undefined],
  ['calls left', byApp, 200, left(3, 60), undefined, 'app', undefined, undefined],
  ['none left, app limits', byApp, 200, left(0, 60), undefined, 'app', undefined, 60],
  ['none left, person limits', byPerson, 200, left(0, 60), undefined, 'person', undefined, 60],
  ['none left, both limits', byBoth, 200, left(0, 60), undefined, 'app', undefined, 60],
  ['none left, limits for everybody', byEverybody, 200, left(0, 60), undefined, 'service', undefined, 60],
  ['none left, the headers name the person', saysPerson, 200, left(0, 60), undefined, 'person', undefined, 60],
  ['none left, the headers name the app', saysApp, 200, left(0, 60), undefined, 'app', undefined, 60],
  ['none left, the headers name the endpoint', saysEndpoint, 200, left(0, 60), undefined, 'endpoint', undefined, 60],
  ['none left on an unchanged page', byPerson, 304, left(0, 60), undefined, 'person', undefined, 60],
  ['none left until a time in the past', byApp, 200, left(0, -60), undefined, 'app', undefined, undefined],
  ['none left, no time', byApp, 200, { left: '0' }, undefined, 'app', undefined, undefined],
  ['none left for a year', byApp, 200, left(0, 365 * 86_400), undefined, 'app', undefined, 3600],
  ['429 without a header', noLimits, 429, {}, undefined, 'app', 60, 60],
  ['429 without a header, person limits', byPerson, 429, {}, undefined, 'person', 60, 60],
  ['429 with seconds', noLimits, 429, { 'retry-after': '30' }, undefined, 'app', 30, 30],
  ['429 with seconds, person limits', byPerson, 429, { 'retry-after': '30' }, undefined, 'person', 30, 30],
  ['429 with a date', noLimits, 429, { 'retry-after': new Date(at(90)).toUTCString() }, undefined, 'app', 90, 90],
  ['429 with no wait', noLimits, 429, { 'retry-after': '0' }, undefined, 'app', 0, undefined],
  ['429 with an absurd wait', noLimits, 429, { 'retry-after': '99999999' }, undefined, 'app', 86_400, 86_400],
  ['429 with a word', noLimits, 429, { 'retry-after': 'soon' }, undefined, 'app', 60, 60],
  ['429 with a reset only', byApp, 429, left(0, 120), undefined, 'app', 120, 120],
  ['429 with a reset while calls are left', byApp, 429, left(7, 120), undefined, 'app', 120, 120],
  [
    '429: Retry-After applies to the call, the reset to the window',
    byApp,
    429,
    { ...left(0, 600), 'retry-after': '30' },
    undefined,
    'app',
    30,
    600,
  ],
  [
    '429: a Retry-After after the reset',
    byApp,
    429,
    { ...left(0, 30), 'retry-after': '600' },
    undefined,
    'app',
    600,
    600,
  ],
  ['429 at an endpoint', saysEndpoint, 429, { ...left(0, 30) }, undefined, 'endpoint', 30, 30],
  ['403 that the connector classifies as a limit', byPerson, 403, { 'retry-after': '30' }, 'retry', 'person', 30, 30],
  ['403 that it classifies as a limit, no header', byPerson, 403, {}, 'retry', 'person', 60, 60],
  ['403 that it does not classify', byPerson, 403, { 'retry-after': '30' }, undefined, 'person', undefined, undefined],
  ['400 that it classifies as a lost grant', byPerson, 400, {}, 'reauthorize', 'person', undefined, undefined],
  ['400 that it skips', byPerson, 400, {}, 'skip', 'person', undefined, undefined],
  ['400 that means the app', byPerson, 400, {}, 'pause_app', 'app', 60, 60],
  ['400 that means the person', byApp, 400, {}, 'pause_person', 'person', 60, 60],
  ['503 that means the app', byPerson, 503, { 'retry-after': '30' }, 'pause_app', 'app', 30, 30],
  ['400 that means the app, with the app’s reset', saysApp, 400, left(0, 600), 'pause_app', 'app', 600, 600],
  [
    '400 that means the person, with calls left for the app',
    saysApp,
    400,
    left(3, 600),
    'pause_person',
    'person',
    60,
    60,
  ],
  ['400 that means the person, with none left for the app', saysApp, 400, left(0, 600), 'pause_person', 'app', 60, 600],
  ['400 that means the app, with none left for the person', saysPerson, 400, left(0, 600), 'pause_app', 'app', 60, 60],
  ['200 that it classifies as a limit', byPerson, 200, {}, 'retry', 'person', 60, 60],
  ['an outage', byApp, 503, { 'retry-after': '30' }, undefined, 'app', undefined, undefined],
  [
    'an outage that it classifies as temporary',
    byApp,
    500,
    { 'retry-after': '30' },
    'retry',
    'app',
    undefined,
    undefined,
  ],
  ['headers on which its reader throws', throwing, 200, left(0, 60), undefined, 'person', undefined, undefined],
  ['a 429 on whose headers its reader throws', throwing, 429, {}, undefined, 'person', 60, 60],
]

suite('rate limits in a response', () => {
  for (const [what, api, status, headers, recovery, scope, refusedForS, pausedForS] of CASES)
    test(what, () => {
      const connector = { api: { baseUrl: 'https://api.test', ...api } }
      const errors: unknown[] = []
      const limits = readLimits(connector, { status, headers, recovery }, NOW, (error) => errors.push(error))
      assert.equal(errors.length, api === throwing ? 1 : 0)
      assert.deepEqual(limits, {
        scope,
        refusedForMs: refusedForS === undefined ? undefined : refusedForS * S,
        pausedUntilMs: pausedForS === undefined ? undefined : at(pausedForS),
      })
    })
})
