import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { callback, codeFor, tokenCall } from '../../testing/oauth2-client.ts'

interface Answer {
  ok: boolean
  error?: string
  ts: string
  text?: string
  upload_url: string
  file_id: string
  message: Record<string, unknown>
  messages: { ts: string; text: string; reactions?: { name: string; count: number }[]; files?: { id: string }[] }[]
  files: Record<string, unknown>[]
}

const SDKS = join(import.meta.dirname, '../../../test/real/sdks/node_modules')
const RESPONSES = join(SDKS, '@slack/web-api', 'dist/types/response')
const READ = 'channels:history,groups:history,files:read,reactions:read'
const CHANNEL = 'C0GENERAL'

let lab: Lab<'slack'>
let service: LabService
let token: string
let others: string
let reader: string

before(async () => {
  lab = await startLab({ services: ['slack'] })
  service = lab.services.slack
  const { key, secret } = service.register({ redirectUris: [callback] })
  const tokenOf = async (scopes: string, person: string) => {
    const flow = { service, key, secret }
    const code = await codeFor(flow, { user_scope: scopes }, person)
    const reply = await tokenCall(flow, { grant_type: 'authorization_code', code, redirect_uri: callback })
    return ((await reply.json()) as { authed_user: { access_token: string } }).authed_user.access_token
  }
  token = await tokenOf(`${READ},chat:write,files:write,reactions:write`, 'ada')
  others = await tokenOf(`${READ},chat:write,files:write,reactions:write`, 'ben')
  reader = await tokenOf(READ, 'chloe')
})
after(() => lab.close())

async function call(method: string, fields: object, by = token, json = false): Promise<Answer> {
  const response = await fetch(`${service.url}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, ...(json ? { 'content-type': 'application/json' } : {}) },
    body: json ? JSON.stringify(fields) : new URLSearchParams(fields as Record<string, string>),
  })
  assert.equal(response.status, 200)
  return (await response.json()) as Answer
}
const errorOf = async (...args: Parameters<typeof call>) => (await call(...args)).error
const history = async () => (await call('conversations.history', { channel: CHANNEL })).messages

/** Every field that is sent is in the type that the vendor's SDK declares. */
function assertDeclared(file: string, type: string, value: object): void {
  const at = join(RESPONSES, `${file}.d.ts`)
  if (!existsSync(at)) return
  const text = readFileSync(at, 'utf8')
  const body = text.slice(text.indexOf(`interface ${type} {`)).split('\n}')[0] ?? ''
  const declared = new Set([...body.matchAll(/^ {4}(\w+)\?:/gm)].map(([, name]) => name))
  assert.ok(declared.size > 5, `${type} is not declared in ${file}`)
  assert.deepEqual(
    Object.keys(value).filter((name) => !declared.has(name)),
    [],
    type,
  )
}

test('a message is posted, changed and deleted, by form or JSON', async () => {
  for (const json of [false, true]) {
    const posted = await call('chat.postMessage', { channel: CHANNEL, text: 'Hello' }, token, json)
    assert.equal(posted.ok, true)
    assertDeclared('ChatPostMessageResponse', 'ChatPostMessageResponseMessage', posted.message)
    const { ts } = posted
    assert.equal((await history())[0]?.text, 'Hello')
    lab.clock.advance(1000)
    const changed = await call('chat.update', { channel: CHANNEL, ts, text: 'Bye' }, token, json)
    assert.deepEqual([changed.ok, changed.ts, changed.text], [true, ts, 'Bye'])
    assert.equal((await history())[0]?.text, 'Bye')
    assert.equal((await call('chat.delete', { channel: CHANNEL, ts }, token, json)).ok, true)
    assert.ok((await history()).every((each) => each.ts !== ts))
  }
})

test('only its author changes a message, and only members post', async () => {
  const { ts } = await call('chat.postMessage', { channel: CHANNEL, text: 'Mine' })
  const at = { channel: CHANNEL, ts }
  assert.equal(await errorOf('chat.update', { ...at, text: 'Yours' }, others), 'cant_update_message')
  assert.equal(await errorOf('chat.delete', at, others), 'cant_delete_message')
  assert.equal(await errorOf('chat.delete', { ...at, ts: '1.000001' }), 'message_not_found')
  assert.equal(await errorOf('chat.postMessage', { channel: 'C0OTHERS', text: 'Hi' }), 'not_in_channel')
  assert.equal(await errorOf('chat.postMessage', { channel: 'G0BOARD', text: 'Hi' }, others), 'channel_not_found')
  assert.equal(await errorOf('chat.postMessage', { channel: CHANNEL }), 'no_text')
  assert.equal(await errorOf('chat.postMessage', { channel: CHANNEL, text: 'x'.repeat(40_001) }), 'msg_too_long')
  const refused = await call('chat.postMessage', { channel: CHANNEL, text: 'Hi' }, reader)
  assert.deepEqual([refused.error, 'needed' in refused], ['missing_scope', true])
})

test('an answer is in its thread', async () => {
  const { ts } = await call('chat.postMessage', { channel: CHANNEL, text: 'Question' })
  const answer = await call('chat.postMessage', { channel: CHANNEL, text: 'Answer', thread_ts: ts })
  assert.equal(answer.message['thread_ts'], ts)
  const { messages } = await call('conversations.replies', { channel: CHANNEL, ts })
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['Question', 'Answer'],
  )
  const nothing = { channel: CHANNEL, text: 'Answer', thread_ts: '1.000001' }
  assert.equal(await errorOf('chat.postMessage', nothing), 'cannot_reply_to_message')
})

test('a reaction is added once by each person', async () => {
  const { ts: timestamp } = await call('chat.postMessage', { channel: CHANNEL, text: 'React' })
  const reaction = { channel: CHANNEL, timestamp, name: 'eyes' }
  assert.equal((await call('reactions.add', reaction)).ok, true)
  assert.equal(await errorOf('reactions.add', reaction), 'already_reacted')
  assert.equal((await call('reactions.add', reaction, others)).ok, true)
  assert.deepEqual(
    (await history())[0]?.reactions?.map(({ name, count }) => [name, count]),
    [['eyes', 2]],
  )
  assert.equal(await errorOf('reactions.add', { ...reaction, name: 'No such' }), 'invalid_name')
  assert.equal(await errorOf('reactions.add', { channel: CHANNEL, name: 'eyes' }), 'no_item_specified')
})

test('a file is announced, sent to its address without a token, and shared', async () => {
  const bytes = Buffer.from('a,b\n1,2\n')
  const begin = () => call('files.getUploadURLExternal', { filename: 'table.txt', length: String(bytes.length) })
  const { upload_url: address, file_id: id } = await begin()
  const share = { files: JSON.stringify([{ id, title: 'Table' }]), channel_id: CHANNEL, initial_comment: 'See' }
  assert.equal(await errorOf('files.completeUploadExternal', share), 'file_not_found')
  assert.equal((await fetch(address, { method: 'POST', body: 'short' })).status, 400)
  const sent = await fetch(address, { method: 'POST', body: bytes })
  assert.deepEqual([sent.status, await sent.text()], [200, `OK - ${bytes.length}\n`])
  assert.equal(await errorOf('files.completeUploadExternal', share, others), 'file_not_found')
  const { files } = await call('files.completeUploadExternal', share)
  assertDeclared('FilesCompleteUploadExternalResponse', 'File', files[0] ?? {})
  assert.deepEqual([files[0]?.['title'], files[0]?.['size']], ['Table', bytes.length])
  assert.equal((await call('files.list', {})).files.filter((each) => each['id'] === id).length, 1)
  const [message] = await history()
  assert.deepEqual([message?.text, message?.files?.map((each) => each.id)], ['See', [id]])

  const form = new FormData()
  form.append('body', new Blob([bytes]), 'table.txt')
  assert.equal((await fetch((await begin()).upload_url, { method: 'POST', body: form })).status, 200)
  assert.equal((await fetch(`${address}x`, { method: 'POST', body: bytes })).status, 404)
  assert.equal(await errorOf('files.getUploadURLExternal', { filename: 'a', length: '0' }), 'invalid_arguments')
})

test('an unknown method is an error with status 200', async () => {
  assert.equal(await errorOf('chat.shout', { text: 'HI' }), 'unknown_method')
  assert.equal((await fetch(`${service.url}/api/no.such`)).status, 200)
})

test('beyond its limit a method answers 429 with Retry-After', async () => {
  service.configure({ rateLimit: { limit: 1 } })
  lab.clock.advance(60_000 - (lab.clock.now() % 60_000))
  const post = () =>
    fetch(`${service.url}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ channel: CHANNEL, text: 'Again' }),
    })
  assert.equal((await post()).status, 200)
  const refused = await post()
  assert.deepEqual([refused.status, await refused.json()], [429, { ok: false, error: 'ratelimited' }])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  service.configure({ rateLimit: { limit: 0 } })
})
