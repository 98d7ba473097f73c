import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { momentsBack } from '../../data/moments.ts'
import { places, sentences, titles } from '../../data/vocabulary.ts'
import { eventsOf } from './calendar-routes.ts'
import type { TrackedStore } from './tracked-store.ts'
import { itemsOf, uploadsOf } from './youtube-routes.ts'

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
const correspondents = ['Amara Bao', 'Carmen "Coco" Dov', 'Łukasz Żuk', '田中 さくら', 'Doe, Jane', 'no-reply']

export interface Generator {
  tracked: TrackedStore
  nextId: () => string
  random: Random
  nowMs: number
}

export const emailOf = ({ email, username }: Person): string => email ?? `${username}@gmail.test`

/** Everything of one person. A new account has a calendar and nothing else. */
export function generate(parts: Generator, person: Person): void {
  const random = parts.random.fork(person.username)
  const own = { ...parts, random, person }
  addCalendars(own)
  if (person.activity === 0) return
  addContacts(own)
  addFiles(own)
  addMail(own)
  addYouTube(own)
}

type Own = Generator & { person: Person }

function put(
  { tracked, person, nextId }: Own,
  kind: string,
  atMs: number,
  fields: Record<string, unknown>,
  id = nextId(),
) {
  return tracked.store.put(person.username, kind, { id, createdAtMs: atMs, updatedAtMs: atMs, fields })
}

const mailboxOf = (name: string, at: number) =>
  name === 'no-reply' ? 'no-reply@shop.test' : `person${at}@friends.test`

function addContacts(own: Own): void {
  const { random, person, nowMs, nextId } = own
  for (const kind of ['contacts', 'other_contacts'])
    for (const [at, atMs] of momentsBack(random, Math.round(person.activity / 4), nowMs, 1500)
      .reverse()
      .entries()) {
      const name = random.pick(correspondents)
      const fields: Record<string, unknown> = {
        names: [{ metadata: { primary: true }, displayName: `${name} ${at}` }],
        emailAddresses: [
          { metadata: {}, value: `old${at}@friends.test` },
          { metadata: { primary: true }, value: `Person${at}@friends.test` },
        ],
      }
      if (random.chance(0.5))
        fields['phoneNumbers'] = [{ metadata: { primary: true }, value: '0123 456', canonicalForm: `+351210000${at}` }]
      if (random.chance(0.3)) fields['photos'] = [{ url: `https://lh3.googleusercontent.com/a/${at}`, default: true }]
      if (kind === 'contacts' && random.chance(0.4))
        Object.assign(fields, {
          urls: [{ value: random.chance(0.5) ? 'https://people.test/me' : 'people.test' }],
          organizations: [{ metadata: { primary: true }, name: random.pick(titles), title: 'Editor' }],
          addresses: [{ metadata: { primary: true }, formattedValue: random.pick(places).city }],
          birthdays: [{ date: { month: 2, day: 29 } }],
        })
      put(own, kind, atMs, fields, `${kind === 'contacts' ? 'people/c' : 'otherContacts/c'}${nextId()}`)
    }
}

function addCalendars(own: Own): void {
  const { person, nowMs, random } = own
  const email = emailOf(person)
  const calendar = (id: string, fields: Record<string, unknown>) =>
    put(own, 'calendars', nowMs - 2000 * DAY_MS, { timeZone: person.timezone, ...fields }, id)
  calendar(email, { summary: email, accessRole: 'owner', primary: true, selected: true })
  if (person.activity === 0) return
  const family = `c_family${person.username}@group.calendar.google.com`
  const holidays = 'en.portuguese#holiday@group.v.calendar.google.com'
  calendar(family, { summary: 'Family', summaryOverride: 'Familie', accessRole: 'writer', hidden: true })
  calendar(holidays, { summary: 'Holidays in Portugal', accessRole: 'reader' })
  calendar('busy@people.test', { summary: 'A colleague', accessRole: 'freeBusyReader' })
  for (const id of [email, family]) addEvents(own, id, random)
  const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10)
  for (let at = 0; at < 5; at += 1) {
    const dayMs = nowMs - at * 90 * DAY_MS
    const day = { start: { date: dayOf(dayMs) }, end: { date: dayOf(dayMs + DAY_MS) } }
    put(own, eventsOf(holidays), dayMs, { summary: `Holiday ${at}`, visibility: 'public', ...day })
  }
  // An invitation that is in two calendars has one id.
  for (const id of [email, family])
    put(
      own,
      eventsOf(id),
      nowMs - DAY_MS,
      { summary: 'In both', ...hour(nowMs + DAY_MS), organizer: { email } },
      'shared1',
    )
}

const hour = (atMs: number) => ({
  start: { dateTime: new Date(atMs).toISOString(), timeZone: 'Europe/Lisbon' },
  end: { dateTime: new Date(atMs + 60 * MINUTE_MS).toISOString(), timeZone: 'Europe/Lisbon' },
})

function addEvents(own: Own, calendarId: string, random: Random): void {
  const { person, nowMs } = own
  const self = { email: calendarId, self: true }
  for (const [at, atMs] of momentsBack(random, Math.round(person.activity / 6), nowMs, 700)
    .reverse()
    .entries()) {
    const isInvited = random.chance(0.4)
    const host = { email: `person${at}@friends.test`, displayName: random.pick(correspondents) }
    put(own, eventsOf(calendarId), atMs, {
      summary: random.pick(titles),
      ...(random.chance(0.5) && {
        description: `<b>${random.pick(sentences)}</b>`,
        location: random.pick(places).name,
      }),
      creator: isInvited ? host : self,
      organizer: isInvited ? host : self,
      ...(isInvited && {
        attendees: [
          { ...self, responseStatus: 'accepted' },
          { ...host, organizer: true },
          { email: 'room@resource.test', resource: true },
        ],
      }),
      ...hour(atMs + 7 * DAY_MS),
    })
  }
  const startMs = nowMs - 300 * DAY_MS
  const master = put(own, eventsOf(calendarId), startMs, {
    summary: 'Choir',
    creator: self,
    organizer: self,
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU'],
    ...hour(startMs),
  })
  const instance = (week: number) => {
    const atMs = startMs + week * 7 * DAY_MS
    const stamp = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    return {
      id: `${master.id}_${stamp}`,
      fields: { recurringEventId: master.id, originalStartTime: hour(atMs).start },
      atMs,
    }
  }
  const [moved, cancelled] = [instance(3), instance(5)]
  const later = hour(moved.atMs + 2 * 60 * MINUTE_MS)
  put(own, eventsOf(calendarId), moved.atMs, { summary: 'Choir, later', ...moved.fields, ...later }, moved.id)
  put(own, eventsOf(calendarId), cancelled.atMs, { status: 'cancelled', ...cancelled.fields }, cancelled.id)
}

function addFiles(own: Own): void {
  const { random, person, nowMs } = own
  const me = { displayName: person.name, emailAddress: emailOf(person), me: true }
  const other = { displayName: 'Amara Bao', emailAddress: 'amara@friends.test', me: false }
  const folder = put(own, 'files', nowMs - 1600 * DAY_MS, {
    name: 'Été 2025',
    mimeType: 'application/vnd.google-apps.folder',
    ownedByMe: true,
    owners: [me],
  })
  for (const [at, atMs] of momentsBack(random, Math.round(person.activity / 2), nowMs, 1500)
    .reverse()
    .entries()) {
    const isDocument = random.chance(0.4)
    const isOwn = random.chance(0.8)
    put(own, 'files', atMs, {
      name: `${random.pick(titles)} ${at}${isDocument ? '' : '.pdf'}`,
      mimeType: isDocument ? 'application/vnd.google-apps.document' : 'application/pdf',
      ...(!isDocument && { size: String(random.int(0, 5_000_000)), md5Checksum: 'a'.repeat(32) }),
      webViewLink: `https://docs.google.com/document/d/${at}/edit`,
      ...(isOwn && { parents: [folder.id] }),
      ownedByMe: isOwn,
      shared: !isOwn,
      owners: [isOwn ? me : other],
      trashed: random.chance(0.05),
    })
  }
}

function addMail(own: Own): void {
  const { random, person, nowMs } = own
  const me = `"${person.name}" <${emailOf(person)}>`
  for (const [at, atMs] of momentsBack(random, Math.round(person.activity / 4), nowMs, 700)
    .reverse()
    .entries()) {
    const name = random.pick(correspondents)
    const other = `"${name.replaceAll('"', '\\"')}" <${mailboxOf(name, at)}>`
    const isSent = random.chance(0.3)
    const header = (field: string, value: string) => ({ name: field, value })
    put(own, 'mail', atMs, {
      threadId: `t${Math.floor(at / 2)}`,
      labelIds: random.chance(0.05)
        ? ['TRASH']
        : isSent
          ? ['SENT']
          : ['INBOX', ...(random.chance(0.3) ? ['UNREAD'] : [])],
      size: random.int(900, 90_000),
      headers: [
        header('Received', 'from mx.test by mx.google.test'),
        header('From', isSent ? me : other),
        header(random.chance(0.5) ? 'To' : 'to', isSent ? `${other}, b@friends.test` : me),
        ...(random.chance(0.9) ? [header('Subject', random.pick(titles))] : []),
        header('Date', new Date(atMs).toUTCString()),
        header('Message-ID', `<${at}.${person.username}@mail.test>`),
      ],
    })
  }
}

function addYouTube(own: Own): void {
  const { random, person, nowMs, nextId } = own
  const channelId = `UC${person.username}channel`
  const thumbnails = { default: { url: 'https://i.ytimg.com/vi/x/default.jpg', width: 120, height: 90 } }
  const described = (atMs: number, more: object = {}) => ({
    title: random.pick(titles),
    description: random.pick(sentences),
    publishedAt: new Date(atMs).toISOString(),
    thumbnails,
    ...more,
  })
  /** Of a channel. A subscription has only the id of it, and a channel itself has neither. */
  const snippet = (atMs: number, more: object = {}) =>
    described(atMs, { channelId, channelTitle: person.name, ...more })
  const other = (at: number) => ({ id: `UCother${at % 7}`, title: `Channel ${at % 7}` })
  put(
    own,
    'channels',
    nowMs - 1500 * DAY_MS,
    {
      snippet: described(nowMs - 1500 * DAY_MS, { customUrl: `@${person.username}` }),
      contentDetails: { relatedPlaylists: { likes: 'LL', uploads: uploadsOf(channelId) } },
    },
    channelId,
  )
  const entry = (playlistId: string, at: number, atMs: number, owner: { id: string; title: string }) => {
    const videoId = `v${nextId()}`
    put(own, itemsOf(playlistId), atMs, {
      snippet: snippet(atMs, {
        playlistId,
        position: at,
        resourceId: { kind: 'youtube#video', videoId },
        videoOwnerChannelId: owner.id,
        videoOwnerChannelTitle: owner.title,
      }),
      contentDetails: { videoId, videoPublishedAt: new Date(atMs).toISOString() },
      status: { privacyStatus: 'public' },
    })
  }
  const moments = (count: number) =>
    momentsBack(random, Math.max(3, Math.round(count)), nowMs, 900)
      .reverse()
      .entries()
  for (const [at, atMs] of moments(person.activity / 2))
    entry(uploadsOf(channelId), at, atMs, { id: channelId, title: person.name })
  for (const [at, atMs] of moments(3)) {
    const { id } = put(
      own,
      'playlists',
      atMs,
      { snippet: snippet(atMs), status: { privacyStatus: 'private' } },
      `PL${nextId()}`,
    )
    for (const [place, addedMs] of moments(at * 30)) entry(id, place, addedMs, other(place))
  }
  for (const [at, atMs] of moments(person.activity / 2))
    put(own, 'likes', atMs, {
      snippet: snippet(atMs, { channelId: other(at).id, channelTitle: other(at).title, defaultAudioLanguage: 'en' }),
      contentDetails: { duration: `PT${at}M${at % 60}S`, dimension: '2d' },
    })
  for (const [at, atMs] of moments(7))
    put(own, 'subscriptions', atMs, {
      snippet: described(atMs, {
        channelId,
        title: other(at).title,
        resourceId: { kind: 'youtube#channel', channelId: other(at).id },
      }),
    })
}
