import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { Client } from 'pg'
import { blueskyMissing, startBlueskyNetwork } from '../bluesky.ts'

const postgresUrl = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const redisHost = '127.0.0.1'

const reachable = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.end() !== undefined)).on('error', () =>
      resolve(false),
    )
  })

async function networkMissing(): Promise<string | false> {
  if (!(await reachable(6379))) return 'no Redis on 127.0.0.1:6379'
  if (!(await reachable(Number(new URL(postgresUrl).port || 5432)))) return 'no PostgreSQL on 127.0.0.1'
  return blueskyMissing()
}

async function schemas(): Promise<unknown[]> {
  const client = new Client({ connectionString: postgresUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^(appview|bsync|ozone)_' ORDER BY 1",
  )
  await client.end()
  return rows
}

const skip = await networkMissing()

suite('bluesky network', () => {
  test('the AppView serves feeds, pages and likes, and leaves no schema behind', { skip }, async () => {
    const before = await schemas()
    const network = await startBlueskyNetwork({ postgresUrl, redisHost })
    try {
      const alice = await network.createAccount('alice.test')
      const bob = await network.createAccount('bob.test')
      const liked = await alice.agent.post({ text: 'first' })
      await alice.agent.post({ text: 'second' })
      await bob.agent.like(liked.uri, liked.cid)
      await bob.agent.follow(alice.did)
      await network.settle()
      type Page = { feed: { post: { uri: string; likeCount: number } }[]; cursor?: string }
      const read = async (extra: object) => {
        const { data } = await bob.agent.call('app.bsky.feed.getAuthorFeed', { actor: alice.did, limit: 1, ...extra })
        return data as unknown as Page
      }
      const newest = await read({})
      const older = await read({ cursor: newest.cursor })
      assert.deepEqual(
        older.feed.map(({ post }) => [post.uri, post.likeCount]),
        [[liked.uri, 1]],
      )
      const { data } = await bob.agent.call('app.bsky.graph.getFollowers', { actor: alice.did })
      assert.deepEqual(
        (data.followers as { did: string }[]).map(({ did }) => did),
        [bob.did],
      )
    } finally {
      await network.close()
    }
    assert.deepEqual(await schemas(), before)
  })
})
