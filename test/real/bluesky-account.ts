import { loadBlueskyPackage } from './bluesky/load.ts'

export interface RecordRef {
  uri: string
  cid: string
}

/** The parts of the official client that tests use. */
export interface BlueskyAgent {
  readonly session: { did: string; handle: string; accessJwt: string; refreshJwt: string } | undefined
  createAccount(account: { handle: string; email: string; password: string }): Promise<unknown>
  login(account: { identifier: string; password: string }): Promise<unknown>
  post(record: { text: string; createdAt?: string; [field: string]: unknown }): Promise<RecordRef>
  deletePost(uri: string): Promise<void>
  like(uri: string, cid: string): Promise<RecordRef>
  repost(uri: string, cid: string): Promise<RecordRef>
  follow(did: string): Promise<RecordRef>
  deleteFollow(uri: string): Promise<void>
  upsertProfile(change: (existing: object | undefined) => object): Promise<void>
  uploadBlob(data: Uint8Array, options: { encoding: string }): Promise<{ data: { blob: unknown } }>
  call(
    method: string,
    parameters?: object,
    data?: object,
    options?: { headers: Record<string, string> },
  ): Promise<{ data: Record<string, unknown> }>
}

export interface BlueskyAccount {
  did: string
  handle: string
  password: string
  /** The official client, signed in. */
  agent: BlueskyAgent
  /** An app password, and a function that revokes it. */
  createAppPassword(name: string): Promise<string>
  revokeAppPassword(name: string): Promise<void>
}

interface ApiPackage {
  AtpAgent: new (options: { service: string }) => BlueskyAgent
}

export async function openAccount(pdsUrl: string, handle: string): Promise<BlueskyAccount> {
  const { AtpAgent } = await loadBlueskyPackage<ApiPackage>('@atproto/api')
  const agent = new AtpAgent({ service: pdsUrl })
  const password = `${handle}-password`
  await agent.createAccount({ handle, email: `${handle}@people.example`, password })
  return {
    did: agent.session?.did ?? '',
    handle,
    password,
    agent,
    async createAppPassword(name) {
      const { data } = await agent.call('com.atproto.server.createAppPassword', {}, { name })
      return String(data.password)
    },
    async revokeAppPassword(name) {
      await agent.call('com.atproto.server.revokeAppPassword', {}, { name })
    },
  }
}
