import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { LabRequest } from '../../base/request.ts'
import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { FoursquareData } from './data.ts'
import { wrongParameter } from './envelope.ts'
import type { ListFields, TipFields } from './generate.ts'
import { offsetPage } from './parameters.ts'
import { isHere, presentFriend, presentTip, presentVenue, seconds } from './present.ts'
import type { Venue } from './venues.ts'

interface View {
  url: string
  data: FoursquareData
}

const groups = ['created', 'edited', 'followed', 'friends', 'suggested']

/** Lists by group: created by the person, and lists of others that the person follows. */
export function listsOf(view: View, person: Person, request: LabRequest) {
  const own = view.data.store.list(person.username, 'lists').filter(isHere)
  const byGroup: Record<string, object[]> = {
    created: [
      ...automatic.map((name) => automaticList(view.data, person, name)),
      ...own.map((item) => summary(view, person, item)),
    ],
    followed: followedBy(view.data, person).map(({ owner, item }) => summary(view, owner, item)),
  }
  const group = first(request.query, 'group')
  if (group !== undefined && !groups.includes(group)) throw wrongParameter(`Value ${group} is invalid for group`)
  if (group !== undefined) {
    const all = byGroup[group] ?? []
    return { lists: { count: all.length, items: offsetPage(request, all, 30, 200) } }
  }
  const shown = Object.entries(byGroup).map(([type, items]) => ({ type, count: items.length, items }))
  return { lists: { count: shown.reduce((sum, { count }) => sum + count, 0), groups: shown } }
}

export function oneList(view: View, person: Person, request: LabRequest, id: string) {
  const { data } = view
  const name = automatic.find((one) => id === `${person.id}/${one}`)
  if (name !== undefined)
    return { list: withItems(automaticList(data, person, name), entries(data, person, name), request) }
  const found = data.store.find('lists', id)
  const owner = found && data.allPeople.find(({ username }) => username === found.owner)
  if (!found || !owner) throw wrongParameter(`Value ${id} is invalid for list id`)
  const listed = (found.item.fields as ListFields).entries.map((entry) => ({ ...entry, id: `v${entry.venue.id}` }))
  return { list: withItems(summary(view, owner, found.item), listed, request) }
}

interface Entry {
  id: string
  createdAtMs: number
  venue: Venue
  tip?: StoredItem
}

const withItems = (list: object, all: readonly Entry[], request: LabRequest) => ({
  ...list,
  listItems: {
    count: all.length,
    items: offsetPage(request, all, 30, 200).map(({ id, createdAtMs, venue, tip }) => ({
      id,
      createdAt: seconds(createdAtMs),
      type: tip ? 'tip' : 'venue',
      venue: presentVenue(venue),
      ...(tip ? { tip: presentTip(tip) } : {}),
    })),
  },
})

/** The two lists that Foursquare creates for every person: places to go and places with tips. No timestamps. */
const automatic = ['todos', 'tips'] as const

function entries(data: FoursquareData, person: Person, name: (typeof automatic)[number]): Entry[] {
  const tips = data.store.list(person.username, 'tips').filter(isHere)
  if (name === 'tips')
    return tips.map((tip) => {
      const { venue } = tip.fields as TipFields
      return { id: `t${tip.id}`, createdAtMs: tip.createdAtMs, venue, tip }
    })
  const saved = person.activity === 0 ? [] : data.venues.filter((_, at) => at % 3 === person.username.length % 3)
  return saved.map((venue, at) => ({
    id: `v${venue.id}`,
    createdAtMs: 1_700_000_000_000 - at * 86_400_000,
    venue,
  }))
}

const automaticList = (data: FoursquareData, person: Person, name: (typeof automatic)[number]) => ({
  id: `${person.id}/${name}`,
  name: name === 'todos' ? 'My Saved Places' : `${person.name}’s Tips`,
  description: '',
  type: name,
  editable: name === 'todos',
  public: name !== 'todos',
  collaborative: false,
  canonicalUrl: `https://app.foursquare.com/user/${person.id}/list/${name}`,
  followers: { count: 0 },
  listItems: { count: entries(data, person, name).length },
})

function summary({ url }: View, owner: Acquaintance, { id, createdAtMs, updatedAtMs, fields }: StoredItem) {
  const { name, description, isCollaborative, followers, entries: listed } = fields as ListFields
  return {
    id,
    name,
    description,
    type: 'others',
    user: presentFriend(url, owner),
    editable: false,
    public: true,
    collaborative: isCollaborative,
    canonicalUrl: `https://app.foursquare.com/${owner.username}/list/${id}`,
    createdAt: seconds(createdAtMs),
    updatedAt: seconds(updatedAtMs),
    followers: { count: followers },
    listItems: { count: listed.length },
  }
}

const followedBy = (data: FoursquareData, person: Person) =>
  data.friendsOf(person.username).flatMap((owner) =>
    data.store
      .list(owner.username, 'lists')
      .filter(isHere)
      .slice(0, 1)
      .map((item) => ({ owner, item })),
  )
