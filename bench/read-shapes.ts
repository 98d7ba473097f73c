import type { Query, Selection } from '#model/items/query.ts'
import { parseTextQuery } from '#model/items/text-query.ts'
import { CITY, PEOPLE, WORDS } from './read-records.ts'

/** A kind of read: as a path of the API, and as the query that the path means. */
export interface Shape {
  name: string
  path: string
  selection: Selection
  query: Partial<Query>
}

const near = (km: number) => ({
  path: `/types/all_feed?near=${CITY.lat},${CITY.lng}&within=${km}`,
  selection: { type: 'all_feed' as const },
  query: { near: { ...CITY, km } },
})
const search = (word: string) => ({
  path: `/types/all_feed?q=${word}`,
  selection: { type: 'all_feed' as const },
  query: { terms: parseTextQuery(word) },
})
const people = (list: string, participants: Query['participants']) => ({
  path: `/types/all_feed?participants=${encodeURIComponent(list)}`,
  selection: { type: 'all_feed' as const },
  query: { participants },
})
const until = Date.UTC(2026, 8, 20)

export const SHAPES: Shape[] = [
  { name: 'type', path: '/types/photos?limit=20', selection: { type: 'photos' }, query: {} },
  { name: 'endpoint', path: '/services/demo-social/feed', selection: { endpoint: 'feed' }, query: {} },
  { name: 'all', path: '/types/all', selection: { type: 'all' }, query: {} },
  { name: 'absent type', path: '/types/tracks', selection: { type: 'tracks' }, query: {} },
  { name: 'until', path: `/types/all_feed?until=${until}`, selection: { type: 'all_feed' }, query: { until } },
  { name: 'common word', ...search(WORDS.common) },
  { name: 'mid word', ...search(WORDS.mid) },
  { name: 'rare word', ...search(WORDS.rare) },
  { name: 'absent word', ...search('neverwritten') },
  { name: 'beginning*', ...search('hardl*') },
  { name: 'one person', ...people(PEOPLE.friend, [{ rule: 'takes_part', id: PEOPLE.friend }]) },
  {
    name: 'two people',
    ...people(`${PEOPLE.friend},${PEOPLE.pal}`, [
      { rule: 'takes_part', id: PEOPLE.friend },
      { rule: 'takes_part', id: PEOPLE.pal },
    ]),
  },
  { name: 'rare person', ...people('p399', [{ rule: 'takes_part', id: 'p399' }]) },
  { name: 'author', ...people('^p300', [{ rule: 'author', id: 'p300' }]) },
  { name: 'near 10 km', ...near(10) },
  { name: 'near 2000 km', ...near(2000) },
  {
    name: 'nothing near',
    path: '/types/all_feed?near=-60,100',
    selection: { type: 'all_feed' },
    query: { near: { lat: -60, lng: 100, km: 10 } },
  },
  { name: 'dedup', path: '/types/all_feed?dedup=true', selection: { type: 'all_feed' }, query: { dedup: true } },
  { name: 'fields', path: '/types/photos?fields=id,at,data.caption', selection: { type: 'photos' }, query: {} },
  { name: 'map', path: '/types/photos?map=true', selection: { type: 'photos' }, query: {} },
]
