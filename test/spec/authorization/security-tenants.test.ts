import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import type { LabApp, LabHouse } from '../../harness/lab.ts'
import { type Answer, get, send } from '../../harness/send.ts'
import { type Granted, newCode, redeem, signIn } from '../../harness/sign-in.ts'
import { nativeId, startQuietHouse, tokensFor, withoutRequestId } from './fixture.ts'

let house: LabHouse
let other: LabApp
/** Accounts of: the caller, somebody else of the same app, another app, and one that is gone. */
let own: Granted
let neighbour: Granted
let foreign: Granted
let deleted: Granted

before(async () => {
  house = await startQuietHouse()
  other = await house.makeApp()
  own = await signIn(house, 'demo-social', 'ada')
  neighbour = await signIn(house, 'demo-social', 'ben')
  foreign = await signIn(house, 'demo-social', 'chloe', {}, other)
  deleted = await signIn(house, 'demo-social', 'esra')
  await send(house, 'DELETE', '/profiles', { token: deleted.access_token })
})
after(() => house.stop())

const nameOf = (person: string) => `${nativeId(house, 'demo-social', person)}@demo-social`

/** All refused with this status, and not to be told apart. */
function assertAlike(answers: Answer[], status: number): void {
  for (const answer of answers) assert.equal(answer.status, status)
  assert.equal(new Set(answers.map(withoutRequestId)).size, 1, answers.map(({ text }) => text).join('\n'))
  const headers = ({ headers }: Answer) => [...headers.keys()].join()
  assert.equal(new Set(answers.map(headers)).size, 1)
}

const untouched = async () => {
  for (const { access_token: token, account } of [own, neighbour, foreign]) {
    const { body } = await get(house, '/profiles', token)
    assert.equal(body['id'], account)
    assert.equal((body['demo-social'] as unknown[]).length, 1)
  }
}

suite('S22 what is not yours is not there, and looks like what never was', () => {
  const strangers = () => [
    nameOf('ben'),
    nameOf('chloe'),
    nameOf('esra'),
    nameOf('finn'),
    '12345@demo-social',
    'nowhere',
    'demo-micro',
  ]

  for (const method of ['GET', 'DELETE'] as const) {
    test(`${method} /profiles/:id`, async () => {
      const answers: Answer[] = []
      for (const name of strangers())
        answers.push(await send(house, method, `/profiles/${name}`, { token: own.access_token }))
      assertAlike(answers, 404)
      await untouched()
    })
  }

  test('the account of apply', async () => {
    const { token } = await tokensFor(house, 'demo-social', 'ada')
    const apply = (account: string) =>
      send(house, 'POST', '/auth/demo-social/apply', { form: { token, account }, headers: basic(house.app) })
    const random = `${own.account.slice(0, 2)}${'0'.repeat(26)}`
    const answers: Answer[] = []
    for (const account of [foreign.account, deleted.account, random, 'nonsense', own.account.toUpperCase()])
      answers.push(await apply(account))
    assertAlike(answers, 404)
    assert.equal((await apply(own.account)).status, 200, "the app's own accounts are its to choose")
    await untouched()
  })

  test('tokens: revoked, deleted, mistyped, unknown', async () => {
    const revoked = await signIn(house, 'demo-social', 'ada')
    await send(house, 'POST', '/oauth/revoke', { form: { token: revoked.access_token }, headers: basic(house.app) })
    const tokens = [revoked.access_token, deleted.access_token, `${own.access_token}x`, 'nonsense', 'x'.repeat(300)]
    for (const [method, path] of [
      ['GET', '/profiles'],
      ['GET', '/profile'],
      ['GET', '/profiles/demo-social'],
      ['DELETE', '/profiles/demo-social'],
      ['DELETE', '/profiles'],
    ] as const) {
      const answers: Answer[] = []
      for (const token of tokens) answers.push(await send(house, method, path, { token }))
      assertAlike(answers, 401)
    }
  })

  test('codes: of another app, used, unknown', async () => {
    const [theirs, used] = [
      await newCode(house, 'demo-social', 'chloe', {}, other),
      await newCode(house, 'demo-social', 'ada'),
    ]
    await redeem(house, used)
    const answers: Answer[] = []
    for (const code of [theirs, used, `trc_${'0'.repeat(54)}`, 'nonsense'])
      answers.push(await send(house, 'POST', '/oauth/access_token', { form: { code }, headers: basic(house.app) }))
    assertAlike(answers, 400)
    assert.equal((await redeem(house, theirs, {}, other)).status, 200, 'it still belongs to its app')
  })

  test('revoking: whatever the token, the answer is the same, and only own ones end', async () => {
    const mine = await signIn(house, 'demo-social', 'ada')
    const answers: Answer[] = []
    for (const token of [foreign.access_token, deleted.access_token, 'nonsense', mine.access_token])
      answers.push(await send(house, 'POST', '/oauth/revoke', { form: { token }, headers: basic(house.app) }))
    assertAlike(answers, 200)
    assert.equal((await get(house, '/profiles', mine.access_token)).status, 401)
    await untouched()
  })

  test("tokens of services: another app's secret opens nothing", async () => {
    const ask = (token: string, by: LabApp) =>
      send(house, 'GET', '/profiles', { query: { auth: 'true', access_token: token }, headers: basic(by) })
    assertAlike([await ask(own.access_token, other), await ask(foreign.access_token, house.app)], 401)
    assert.equal((await ask(foreign.access_token, other)).status, 200)
  })

  test("a link with another app's token joins nothing, and is told like an unknown one", async () => {
    const locations = new Set<string | null>()
    for (const token of [foreign.access_token, deleted.access_token, 'nonsense']) {
      const url = house.startUrl('demo-social', { access_token: token }).slice(house.tributary.url.length)
      locations.add((await send(house, 'GET', url)).headers.get('location'))
    }
    assert.equal(locations.size, 1)
  })
})
