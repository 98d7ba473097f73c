import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { basic } from '../../harness/app.ts'
import { cases, seedOf } from '../../harness/effort.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { type Reply, send } from '../../harness/send.ts'
import { newCode } from '../../harness/sign-in.ts'
import { nativeId, serviceToken, startQuietHarness } from './fixture.ts'
import {
  disconnected,
  emptyModel,
  ended,
  findAccount,
  joined,
  type Model,
  type ModelToken,
  merged,
} from './machine-model.ts'

const SEED = seedOf('TEST_SEED')
const RUNS = cases(40, 'PROPERTY_RUNS')
const PEOPLE = ['ada', 'ben'] as const
const SERVICES = ['demo-social', 'demo-health'] as const

let harness: LabHarness
let apps: LabApp[]
before(async () => {
  harness = await startQuietHarness()
  apps = [harness.app, await harness.makeApp(), await harness.makeApp()]
})
after(() => harness.stop())

// A number selects an element modulo the length of the list, so every number is valid.
const subject = {
  // Mostly one app, so that its sign-ins, links and merges interact; the others must stay separate.
  app: fc.constantFrom(0, 0, 0, 0, 1, 2),
  person: fc.constantFrom(...PEOPLE),
  service: fc.constantFrom(...SERVICES),
  token: fc.nat(50),
}
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('sign in' as const), ...subject }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('link' as const), ...subject }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('apply' as const), ...subject, given: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('merge' as const), token: fc.nat(50), other: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), token: fc.nat(50), app: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('disconnect' as const),
      token: fc.nat(50),
      person: subject.person,
      service: subject.service,
      how: fc.constantFrom('service', 'one', 'all'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const profileOf = (service: (typeof SERVICES)[number], person: string) =>
  `${encodeURIComponent(nativeId(harness, service, person))}@${service}`
const pick = (model: Model, at: number): ModelToken | undefined => model.tokens[at % Math.max(1, model.tokens.length)]

/** S23: no response to one app contains a token or an account of another. */
async function request(
  model: Model,
  app: number,
  ...given: Parameters<typeof send> extends [unknown, ...infer Rest] ? Rest : never
): Promise<Reply> {
  const response = await send(harness, ...given)
  for (const token of model.tokens.filter((each) => each.app !== app)) {
    assert.ok(!response.text.includes(token.value))
    if (token.account !== undefined) assert.ok(!response.text.includes(token.account), 'an account of another app')
  }
  return response
}

async function perform(model: Model, step: Step): Promise<void> {
  switch (step.do) {
    case 'sign in':
    case 'link':
      return enter(model, step)
    case 'apply':
      return apply(model, step)
    case 'merge':
      return merge(model, step)
    case 'revoke':
      return revoke(model, step)
    case 'disconnect':
      return disconnect(model, step)
  }
}

async function enter(model: Model, step: Step & { do: 'sign in' | 'link' }): Promise<void> {
  const token = step.do === 'link' ? pick(model, step.token) : undefined
  const { service, person } = step
  const profile = profileOf(service, person)
  if (token !== undefined && (token.app !== step.app || token.account === undefined)) {
    const path = harness
      .startUrl(service, { access_token: token.value }, apps[step.app])
      .slice(harness.tributary.url.length)
    const response = await request(model, step.app, 'GET', path)
    assert.match(response.headers.get('location') ?? '', /error=invalid_access_token/)
    return
  }
  const app = apps[step.app]!
  const code = await newCode(harness, service, person, token === undefined ? {} : { access_token: token.value }, app)
  const response = await request(model, step.app, 'POST', '/oauth/access_token', {
    form: { code },
    headers: basic(app),
  })
  const { account, access_token: value } = response.body as { account: string; access_token: string }
  const expected = token?.account ?? findAccount(model, step.app, profile)
  if (expected === undefined) assert.ok(!model.accounts.has(account), 'a new account')
  else assert.equal(account, expected)
  joined(model, step.app, profile, account, value)
}

async function apply(model: Model, step: Step & { do: 'apply' }): Promise<void> {
  const app = apps[step.app]!
  const target = step.given ? pick(model, step.token) : undefined
  const account = step.given ? (target?.account ?? 'nonsense') : undefined
  const token = await serviceToken(harness, step.service, step.person, app)
  const form = { token, ...(account === undefined ? {} : { account }) }
  const response = await request(model, step.app, 'POST', `/auth/${step.service}/apply`, { form, headers: basic(app) })
  if (step.given && (target?.account === undefined || target.app !== step.app)) {
    assert.equal(response.status, 404)
    return
  }
  const { account: got, access_token: value } = response.body as { account: string; access_token: string }
  if (step.given) assert.equal(got, account)
  else assert.ok(!model.accounts.has(got))
  joined(model, step.app, profileOf(step.service, step.person), got, value)
}

async function merge(model: Model, step: Step & { do: 'merge' }): Promise<void> {
  const [source, dest] = [pick(model, step.token), pick(model, step.other)]
  if (source === undefined || dest === undefined) return
  const form = { source: source.value, dest: dest.value }
  const response = await request(model, dest.app, 'POST', '/auth/merge', { form })
  if (source.account === undefined || dest.account === undefined) assert.equal(response.status, 401)
  else if (source.app !== dest.app) assert.equal(response.status, 403)
  else if (source.account === dest.account) assert.equal(response.status, 400)
  else {
    merged(model, source.account, dest.account)
    assert.deepEqual(seen(response), model.accounts.get(dest.account)!.profiles)
  }
}

async function revoke(model: Model, step: Step & { do: 'revoke' }): Promise<void> {
  const token = pick(model, step.token)
  if (token === undefined) return
  const response = await request(model, step.app, 'POST', '/oauth/revoke', {
    form: { token: token.value },
    headers: basic(apps[step.app]!),
  })
  assert.equal(response.status, 200)
  if (token.app === step.app) token.account = undefined
}

async function disconnect(model: Model, step: Step & { do: 'disconnect' }): Promise<void> {
  const token = pick(model, step.token)
  if (token === undefined) return
  const name = step.how === 'one' ? profileOf(step.service, step.person) : step.service
  const path = step.how === 'all' ? '/profiles' : `/profiles/${name}`
  const response = await request(model, token.app, 'DELETE', path, { token: token.value })
  if (token.account === undefined) {
    assert.equal(response.status, 401)
    return
  }
  const have = [...model.accounts.get(token.account)!.profiles]
  const removed = have.filter((each) => step.how === 'all' || each === name || each.endsWith(`@${name}`))
  assert.equal(response.status, removed.length === 0 && step.how !== 'all' ? 404 : 200)
  const account = token.account
  disconnected(model, account, removed)
  if (step.how === 'all') ended(model, account)
  if (response.status !== 200) return
  const reported = (response.body['deleted'] as { profile: string }[]).map(({ profile }) => profile)
  assert.deepEqual(reported.toSorted(), removed.toSorted())
}

function seen({ body }: Reply): Set<string> {
  const { id: _, ...services } = body
  return new Set(
    Object.entries(services).flatMap(([service, ids]) => (ids as string[]).map((id) => `${id}@${service}`)),
  )
}

/** Every token shows exactly what the model says; in the database every profile exists once. */
async function compare(model: Model): Promise<void> {
  for (const token of model.tokens) {
    const response = await request(model, token.app, 'GET', '/profiles', { token: token.value })
    assert.equal(response.status, token.account === undefined ? 401 : 200)
    if (token.account === undefined) continue
    assert.equal(response.body['id'], token.account)
    assert.deepEqual(seen(response), model.accounts.get(token.account)!.profiles)
  }
  const rows = await harness.sql<{ account_id: string; n: number }>(
    'select account_id, count(*)::int as n from profile where merged_into is null group by 1',
  )
  const expected = [...model.accounts].filter(([, { profiles }]) => profiles.size > 0)
  assert.deepEqual(
    new Map(rows.map((row) => [row.account_id, row.n])),
    new Map(expected.map(([id, { profiles }]) => [id, profiles.size])),
  )
}

test('S23 random sequences of sign-in, link, apply, merge, revoke and disconnect by three apps behave as the model', async () => {
  let runs = 0
  let steps = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12, size: 'max' }), async (sequence) => {
      await harness.sql('truncate account, access_token, profile, credential, service_user, consent, pending')
      const model = emptyModel()
      for (const each of sequence) await perform(model, each)
      // At the end everybody signs in again: the result depends on all earlier steps.
      for (const person of PEOPLE)
        for (const service of SERVICES) await enter(model, { do: 'sign in', app: 0, person, service, token: 0 })
      await compare(model)
      runs += 1
      steps += sequence.length
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: false },
  )
  assert.ok(runs > 0)
  process.stdout.write(`# seed ${SEED}: ${runs} sequences, ${steps} steps\n`)
})
