// A chat service like the one at api.bsky.chat, written from the published lexicons. The server that validates requests
// and responses against them, and the check of the tokens that data servers sign, are the vendor's own.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { schemas } from '@atproto/api'
import { IdResolver } from '@atproto/identity'
import { AuthRequiredError, createServer, InvalidRequestError, verifyJwt } from '@atproto/xrpc-server'
import { createRooms } from './chat-rooms.mjs'

const did = 'did:web:api.bsky.chat'
/** Not specified by the lexicon; small, so that a log has several pages. */
const logPage = 10

export async function startChat({ plcUrl }) {
  const identities = new IdResolver({ plcUrl, fetch: globalThis.fetch })
  const rooms = createRooms(Date.now)
  const server = createServer(schemas, { validateResponse: true })
  server.router.get('/.well-known/did.json', (_request, response) => response.json(didDocument(address())))

  /** The token must be signed by the person's own key, for this service and this method. */
  const auth = async ({ req }) => {
    const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1]
    if (token === undefined) throw new AuthRequiredError()
    const method = new URL(req.originalUrl ?? req.url, 'http://chat').pathname.split('/').at(-1)
    const { iss } = await verifyJwt(token, did, method, (issuer, isStale) =>
      identities.did.resolveAtprotoKey(issuer, isStale),
    )
    return { credentials: { did: iss } }
  }

  const on = (method, reply) =>
    server.method(`chat.bsky.${method}`, {
      auth,
      handler: async ({ auth: { credentials }, params, input }) => ({
        encoding: 'application/json',
        body: await reply(credentials.did, input?.body ?? params),
      }),
    })
  const roomOf = (me, id) => {
    const room = rooms.find(id, me)
    if (room === undefined) throw new InvalidRequestError('Convo not found', 'InvalidConvo')
    return room
  }
  const memberView = async (member) => {
    const { handle } = await identities.did.resolveAtprotoData(member)
    return { did: member, handle }
  }
  const convoView = async (room, me) => ({
    id: room.id,
    rev: room.rev,
    members: await Promise.all(room.members.map(memberView)),
    ...(room.messages.length > 0 && { lastMessage: rooms.messageView(room.messages.at(-1), me) }),
    muted: false,
    status: 'accepted',
    unreadCount: 0,
    kind: kindOf(room),
  })

  on('convo.getConvoForMembers', async (me, { members }) => ({
    convo: await convoView(rooms.direct([me, ...members]), me),
  }))
  on('group.createGroup', async (me, { members, name }) => ({
    convo: await convoView(rooms.createGroup(me, members, name), me),
  }))
  on('convo.sendMessage', (me, { convoId, message }) =>
    rooms.messageView(rooms.send(roomOf(me, convoId), me, message), me),
  )
  on('convo.deleteMessageForSelf', (me, { convoId, messageId }) => {
    const room = roomOf(me, convoId)
    const message = room.messages.find(({ id }) => id === messageId)
    if (message === undefined) throw new InvalidRequestError('Message not found')
    rooms.deleteFor(room, me, message)
    return rooms.messageView(message, me)
  })
  on('convo.listConvos', async (me, { limit, cursor }) => {
    const all = rooms.withMember(me).sort((a, b) => (a.rev < b.rev ? 1 : -1))
    const rest = cursor === undefined ? all : all.filter(({ rev }) => rev < cursor)
    const shown = rest.slice(0, limit)
    const convos = await Promise.all(shown.map((room) => convoView(room, me)))
    return { convos, ...(rest.length > limit && { cursor: shown.at(-1).rev }) }
  })
  // Without a cursor nothing has happened yet: the log begins now.
  on('convo.getLog', (me, { cursor = rooms.now() }) => {
    const found = rooms.logAfter(me, cursor, logPage)
    return { cursor: found.at(-1)?.rev ?? cursor, logs: found }
  })

  const http = createHttpServer(server.router).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const address = () => `http://127.0.0.1:${http.address().port}`
  return { did, url: address(), close: () => http.close() }
}

const didDocument = (serviceEndpoint) => ({
  '@context': ['https://www.w3.org/ns/did/v1'],
  id: did,
  service: [{ id: '#bsky_chat', type: 'BskyChatService', serviceEndpoint }],
})

const kindOf = ({ group, members }) =>
  group === undefined
    ? { $type: 'chat.bsky.convo.defs#directConvo' }
    : {
        $type: 'chat.bsky.convo.defs#groupConvo',
        ...group,
        lockStatus: 'unlocked',
        lockStatusModerationOverride: false,
        memberCount: members.length,
        memberLimit: 100,
      }
