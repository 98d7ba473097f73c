import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { requestToken, sent, signedRequest } from '../../testing/oauth1-client.ts'
import { appBrowser, callback } from '../../testing/oauth2-client.ts'

interface Status {
  id_str: string
  text: string
  created_at: string
  account: { handle: string }
  coordinates: { coordinates: number[] } | null
}

let lab: Lab<'demo-micro'>
let service: LabService
let signing: { key: string; secret: string; token: string; tokenSecret: string }

before(async () => {
  lab = await startLab({ services: ['demo-micro'] })
  service = lab.services['demo-micro']
  const client = service.register({ redirectUris: [callback] })
  const pair = await requestToken(service, client)
  const page = await appBrowser().walk(`${service.endpoints['authorize_dm_url']}?oauth_token=${pair.token}`, {
    person: 'ada',
  })
  const oauth_verifier = new URL(page.url).searchParams.get('oauth_verifier') ?? ''
  const access = signedRequest(service.endpoints['access_token_url'] ?? '', {
    ...client,
    ...pick(pair),
    oauth: { oauth_verifier },
  })
  const fields = new URLSearchParams((await sent(access)).body)
  signing = { ...client, token: fields.get('oauth_token') ?? '', tokenSecret: fields.get('oauth_token_secret') ?? '' }
})
after(() => lab.close())

const pick = ({ token, tokenSecret }: { token: string; tokenSecret: string }) => ({ token, tokenSecret })
const raw = (path: string) => sent(signedRequest(`${service.url}/api${path}`, signing, { verb: 'GET' }))
const read = async (path: string) => JSON.parse((await raw(path)).body) as Status[]

async function walk(path: string): Promise<Status[]> {
  const all: Status[] = []
  for (let maxId = ''; ; ) {
    const page = await read(`${path}?count=100${maxId}`)
    if (page.length === 0) return all
    all.push(...page)
    maxId = `&max_id=${BigInt(page.at(-1)?.id_str ?? 0) - 1n}`
  }
}

test('ids are 64-bit numbers in the raw JSON, beyond the precision of a double', async () => {
  const { body } = await raw('/statuses/mine?count=1')
  const [status] = JSON.parse(body) as (Status & { id: number })[]
  assert.ok(body.includes(`"id":${status?.id_str},`))
  assert.ok(BigInt(status?.id_str ?? 0) > BigInt(Number.MAX_SAFE_INTEGER))
})

test('max_id reaches the first status without repeats; since_id returns only newer ones', async () => {
  const mine = await walk('/statuses/mine')
  assert.ok(mine.length > 250)
  assert.equal(new Set(mine.map(({ id_str }) => id_str)).size, mine.length)
  assert.ok(mine.every(({ account }) => account.handle === 'ada'))
  assert.match(mine[0]?.created_at ?? '', /^\w{3} \w{3} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/)
  assert.ok(mine.some(({ coordinates }) => coordinates))
  const newer = await read(`/statuses/mine?since_id=${mine[4]?.id_str}`)
  assert.deepEqual(
    newer.map(({ id_str }) => id_str),
    mine.slice(0, 4).map(({ id_str }) => id_str),
  )
  const [again] = await read(`/statuses/mine?max_id=${mine[4]?.id_str}`)
  assert.equal(again?.id_str, mine[4]?.id_str)
})

test('timeline, favourites, following and messages return items', async () => {
  assert.ok((await walk('/statuses/timeline')).length > 800)
  assert.ok((await walk('/favourites')).length > 40)
  assert.ok((await read('/following')).length > 40)
  assert.ok((await walk('/messages')).length > 50)
})

test('post, read and delete a status; invalid parameters are rejected', async () => {
  const write = (path: string, form: [string, string][]) =>
    sent(signedRequest(`${service.url}/api${path}`, signing, { form }))
  const made = JSON.parse((await write('/statuses', [['status', 'Hello #world']])).body) as Status
  assert.equal((await read(`/statuses/mine?count=1`))[0]?.id_str, made.id_str)
  assert.equal((await raw(`/statuses/${made.id_str}`)).status, 200)
  assert.equal((await write(`/statuses/${made.id_str}/delete`, [])).status, 200)
  assert.equal((await raw(`/statuses/${made.id_str}`)).status, 404)
  assert.equal((await write('/statuses', [])).status, 400)
  assert.equal((await write('/statuses', [['status', 'x'.repeat(501)]])).status, 403)
  for (const query of ['count=0', 'count=x', 'max_id=-1', 'since_id=1e3'])
    assert.equal((await raw(`/statuses/mine?${query}`)).status, 400)
})
