import { connect } from 'node:net'
import { bluesky } from '#connectors/bluesky/connector.ts'
import { personalDataServer } from '#connectors/bluesky/identity.ts'
import type { OAuth2 } from '#kit/auth/auth.ts'
import { beginSignIn, finishSignIn } from '#upstream/sign-in.ts'
import { freshDatabase } from '../harness/database/database.ts'
import { openUpstream } from '../harness/upstream.ts'
import { type BlueskyAccount, blueskyMissing, type RunningBluesky, startBlueskyNetwork } from '../real/bluesky.ts'
import { backFrom, CALLBACK, withOptions } from '../upstream/fixture.ts'
import type { Fixture } from './fixture.ts'

/** All scopes, so that no endpoint is refused. */
export const SCOPES = 'atproto transition:generic transition:chat.bsky'
export const REDIS = { host: '127.0.0.1', port: 6379 }

/** The network needs a database and Redis in addition to its packages. */
export async function blueskyFixtureMissing(): Promise<string | false> {
  const hasRedis = await new Promise<boolean>((resolve) => {
    const socket = connect(REDIS.port, REDIS.host, () => resolve(socket.end() !== undefined))
    socket.on('error', () => resolve(false))
  })
  if (!hasRedis) return `no Redis on ${REDIS.host}:${REDIS.port}, which the Bluesky network needs`
  const probe = await freshDatabase().catch(() => undefined)
  if (probe === undefined) return 'no PostgreSQL, which the Bluesky network needs'
  await probe.drop()
  return blueskyMissing()
}

/** A real network with an AppView, and a person with records of every kind. */
export async function openBlueskyFixture(): Promise<Fixture> {
  const opened = openUpstream()
  const { upstream } = opened
  const database = await freshDatabase()
  let network: RunningBluesky | undefined
  const closeAll = async () => {
    await opened.close()
    await network?.close()
    await database.drop()
  }
  try {
    network = await startBlueskyNetwork({ postgresUrl: database.url, redisHost: REDIS.host })
    const person = await furnish(network)
    const { plcUrl, pdsUrl } = network
    const connector = withOptions<OAuth2>(bluesky, {
      home: { document: (did) => `${plcUrl}/${did}`, read: personalDataServer, apiPath: '/xrpc' },
    })
    const query = new URLSearchParams({ redirect_uri: CALLBACK, scope: SCOPES })
    const key = { key: `http://localhost?${query.toString()}`, secret: '', overrides: { base_url: pdsUrl } }
    const begun = await beginSignIn(upstream, { connector, key, callbackUrl: CALLBACK, state: 'st', flag: 'dm' })
    const { handle, password } = person
    const url = await network.authorize(begun.url, { handle, password })
    const back = backFrom({ connector, key }, begun, new URL(url).searchParams)
    const { credential, self } = await finishSignIn(upstream, back)
    const caller = { upstream, connector, key, credential }
    return { caller, self, authorizeUrl: begun.url, nowMs: () => upstream.clock.now(), close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

// One black pixel.
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

/** A person with records of every kind, and other people. */
export async function furnish(network: RunningBluesky): Promise<BlueskyAccount> {
  const alice = await network.createAccount('alice.test')
  const bob = await network.createAccount('bob.test')
  const carol = await network.createAccount('carol.test')
  await alice.agent.follow(bob.did)
  await bob.agent.follow(alice.did)
  const theirs = await bob.agent.post({ text: 'A plain post by somebody else 🌻' })
  const mine = await alice.agent.post({ text: 'Nothing but words' })
  await sharePicture(alice)
  await writeLinks(alice, bob.did)
  await alice.agent.post({ text: 'A reply', reply: { root: theirs, parent: theirs } })
  await bob.agent.post({ text: 'Quoting', embed: { $type: 'app.bsky.embed.record', record: mine } })
  await bob.agent.post({ text: 'Answering', reply: { root: mine, parent: mine } })
  for (const one of [1, 2, 3]) await alice.agent.post({ text: `More of the same, ${one}` })
  await alice.agent.like(theirs.uri, theirs.cid)
  await alice.agent.repost(theirs.uri, theirs.cid)
  await bob.agent.like(mine.uri, mine.cid)
  await bob.agent.repost(mine.uri, mine.cid)
  await createRecord(alice, 'app.bsky.graph.block', { subject: carol.did })
  await network.settle()
  await alice.agent.call('app.bsky.bookmark.createBookmark', {}, theirs)
  await network.settle()
  await chat(alice, [bob, carol])
  return alice
}

const inChat = { headers: { 'atproto-proxy': 'did:web:api.bsky.chat#bsky_chat' } }

/** Messages in both directions, one of them deleted, and a group; more than one page of the log. */
async function chat(alice: BlueskyAccount, others: BlueskyAccount[]): Promise<void> {
  for (const other of others) {
    const id = await talkOf(alice, other)
    for (const one of [1, 2, 3]) {
      await say(alice, id, `Asking ${other.handle} for the ${one}. time`)
      await say(other, id, `Answer ${one} 🙂`)
    }
  }
  const regretted = await talkOf(alice, others[0]!)
  await deleteMessage(alice, regretted, await say(alice, regretted, 'Never mind'))
  const members = others.map(({ did }) => did)
  await alice.agent.call('chat.bsky.group.createGroup', {}, { members, name: 'All of us' }, inChat)
}

/** The conversation of two people. */
export async function talkOf({ agent }: BlueskyAccount, { did }: BlueskyAccount): Promise<string> {
  const { data } = await agent.call('chat.bsky.convo.getConvoForMembers', { members: [did] }, undefined, inChat)
  return (data['convo'] as { id: string }).id
}

export async function say({ agent }: BlueskyAccount, convoId: string, text: string): Promise<string> {
  const { data } = await agent.call('chat.bsky.convo.sendMessage', {}, { convoId, message: { text } }, inChat)
  return String(data['id'])
}

export async function deleteMessage({ agent }: BlueskyAccount, convoId: string, messageId: string): Promise<void> {
  await agent.call('chat.bsky.convo.deleteMessageForSelf', {}, { convoId, messageId }, inChat)
}

async function sharePicture({ agent }: BlueskyAccount): Promise<void> {
  const { data } = await agent.uploadBlob(PICTURE, { encoding: 'image/png' })
  const images = [{ image: data.blob, alt: 'A black square', aspectRatio: { width: 1, height: 1 } }]
  await agent.post({ text: 'Look', langs: ['en'], embed: { $type: 'app.bsky.embed.images', images } })
}

async function writeLinks({ agent }: BlueskyAccount, mentioned: string): Promise<void> {
  const external = { uri: 'https://reading.test/article', title: 'An article', description: 'On bridges' }
  const features = [{ $type: 'app.bsky.richtext.facet#mention', did: mentioned }]
  await agent.post({
    text: '@bob read this',
    facets: [{ index: { byteStart: 0, byteEnd: 4 }, features }],
    embed: { $type: 'app.bsky.embed.external', external },
  })
}

async function createRecord({ agent, did }: BlueskyAccount, collection: string, value: object): Promise<void> {
  const record = { $type: collection, createdAt: new Date().toISOString(), ...value }
  await agent.call('com.atproto.repo.createRecord', {}, { repo: did, collection, record })
}
