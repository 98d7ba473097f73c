// Conversations, their messages, and an event log per member, after the lexicons chat.bsky.convo.*.
const defs = 'chat.bsky.convo.defs'
const digits = '234567abcdefghijklmnopqrstuvwxyz'

/** Ids and revisions are TIDs: 13 sortable characters, microseconds since 1970 and 10 random bits, here a counter. */
function tidSource(now) {
  let last = 0n
  return () => {
    const next = BigInt(now()) * 1000n * 1024n
    last = next > last ? next : last + 1n
    return Array.from({ length: 13 }, (_, at) => digits[Number((last >> BigInt(5 * (12 - at))) & 31n)]).join('')
  }
}

export function createRooms(now) {
  const nextTid = tidSource(now)
  const rooms = new Map()
  const logs = new Map()
  const logOf = (did) => logs.get(did) ?? logs.set(did, []).get(did)

  function addEvent(room, dids, entry) {
    room.rev = nextTid()
    for (const did of dids) logOf(did).push({ ...entry, rev: room.rev, convoId: room.id })
    return room.rev
  }

  function open(members, group) {
    const id = nextTid()
    const room = { id, rev: id, members, messages: [], ...(group && { group }) }
    rooms.set(id, room)
    addEvent(room, members, { $type: `${defs}#logBeginConvo` })
    return room
  }

  /** A message as a member sees it: a member who deleted it for themselves sees it as deleted. */
  function messageView({ deletedFor, text, ...rest }, did) {
    if (deletedFor.has(did)) return { $type: `${defs}#deletedMessageView`, ...rest }
    return rest.data === undefined
      ? { $type: `${defs}#messageView`, ...rest, text }
      : { $type: `${defs}#systemMessageView`, id: rest.id, rev: rest.rev, sentAt: rest.sentAt, data: rest.data }
  }

  function add(room, fields) {
    const message = { id: nextTid(), rev: '', sentAt: new Date(now()).toISOString(), deletedFor: new Set(), ...fields }
    room.messages.push(message)
    return message
  }

  return {
    withMember: (did) => [...rooms.values()].filter(({ members }) => members.includes(did)),
    find: (id, did) => [rooms.get(id)].find((room) => room?.members.includes(did)),
    /** The one conversation of these two members. */
    direct(members) {
      const wanted = new Set(members)
      const found = [...rooms.values()].find(
        (room) => !room.group && wanted.symmetricDifference(new Set(room.members)).size === 0,
      )
      return found ?? open([...wanted])
    },
    createGroup(owner, others, name) {
      const room = open([owner, ...others], { name, createdAt: new Date(now()).toISOString() })
      for (const did of others) {
        const data = {
          $type: `${defs}#systemMessageDataAddMember`,
          member: { did },
          addedBy: { did: owner },
          role: 'standard',
        }
        const message = add(room, { data })
        message.rev = addEvent(room, room.members, { $type: `${defs}#logAddMember`, message, relatedProfiles: [] })
      }
      return room
    },
    send(room, did, { text, facets, embed }) {
      const message = add(room, { sender: { did }, text, ...(facets && { facets }), ...(embed && { embed }) })
      message.rev = addEvent(room, room.members, { $type: `${defs}#logCreateMessage`, message })
      return message
    },
    deleteFor(room, did, message) {
      message.deletedFor.add(did)
      addEvent(room, [did], { $type: `${defs}#logDeleteMessage`, message })
    },
    logAfter: (did, cursor, count) =>
      logOf(did)
        .filter(({ rev }) => rev > cursor)
        .slice(0, count)
        .map((entry) => (entry.message ? { ...entry, message: messageView(entry.message, did) } : entry)),
    now: nextTid,
    messageView,
  }
}
