import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { publishedTypes, snakeCase } from '../../testing/published-types.ts'
import { get, startX, tokensFor, walkAll, type XApp } from './testing.ts'

/** The vendor's current client uses the names with "post"; the previous client, the guides and the connector use "tweet". */
const posts = publishedTypes({ file: '@xdevplatform/xdk/dist/index.d.ts', wireName: snakeCase })
const tweets = publishedTypes({
  file: '@xdevplatform/xdk-of-tweets/dist/index.d.ts',
  wireName: snakeCase,
  // These interfaces declare only the properties common to all kinds of problems and media.
  open: ['Problem', 'Media'],
})
let app: XApp
let token: string
let id: string
before(async () => {
  app = await startX()
  token = (await tokensFor(app)).access_token
  id = app.service.people.find(({ username }) => username === 'ada')?.id ?? ''
})
after(() => app.lab.close())

/** For each list: its request options, and its response type in the newer and the older client. */
const lists: Record<string, [options: string, newer: string, older: string]> = {
  '/2/users/{id}/tweets': ['GetPostsOptions$1', 'GetUsersPostsResponse', 'Get2UsersIdTweetsResponse'],
  '/2/users/{id}/mentions': ['GetMentionsOptions', 'GetUsersMentionsResponse', 'Get2UsersIdMentionsResponse'],
  '/2/users/{id}/timelines/reverse_chronological': [
    'GetTimelineOptions',
    'GetUsersTimelineResponse',
    'Get2UsersIdTimelinesReverseChronologicalResponse',
  ],
  '/2/users/{id}/liked_tweets': [
    'GetLikedPostsOptions',
    'GetUsersLikedPostsResponse',
    'Get2UsersIdLikedTweetsResponse',
  ],
  '/2/users/{id}/bookmarks': ['GetBookmarksOptions', 'GetUsersBookmarksResponse', 'Get2UsersIdBookmarksResponse'],
  '/2/users/{id}/followers': ['GetFollowersOptions$1', 'GetUsersFollowersResponse', 'Get2UsersIdFollowersResponse'],
  '/2/users/{id}/following': ['GetFollowingOptions', 'GetUsersFollowingResponse', 'Get2UsersIdFollowingResponse'],
  '/2/dm_events': ['GetEventsOptions', 'GetDirectMessagesEventsResponse', 'Get2DmEventsResponse'],
}

const families = {
  post: 'postFields',
  user: 'userFields',
  media: 'mediaFields',
  poll: 'pollFields',
  place: 'placeFields',
}

/** All fields and expansions of a request in the vendor's client. */
function everything(options: string): string {
  assert.ok(typeof posts !== 'string')
  const query = new URLSearchParams()
  for (const [family, option] of Object.entries({ ...families, dm_event: 'dmEventFields' })) {
    const fields = posts.choices(options, option)
    if (fields.length > 0) query.set(`${family}.fields`, fields.join(','))
  }
  const expansions = posts.choices(options, 'expansions')
  if (expansions.length > 0) query.set('expansions', expansions.join(','))
  assert.ok(query.size > 1, `${options} names no fields`)
  return query.toString()
}

/** The older names used in the guides; the older client does not restrict them. */
const people =
  'user.fields=created_at,description,location,profile_image_url,protected,public_metrics,url,verified,verified_type'
const olderPosts = `tweet.fields=attachments,author_id,conversation_id,created_at,display_text_range,edit_controls,entities,geo,in_reply_to_user_id,lang,note_tweet,possibly_sensitive,public_metrics,referenced_tweets,reply_settings,source&expansions=attachments.media_keys,author_id,edit_history_tweet_ids,entities.mentions.username,geo.place_id,in_reply_to_user_id,referenced_tweets.id,referenced_tweets.id.attachments.media_keys,referenced_tweets.id.author_id&media.fields=url,preview_image_url,variants,alt_text,width,height,duration_ms&place.fields=geo,country,country_code,full_name,name,place_type,contained_within&${people}`
const olderPeople = `expansions=most_recent_tweet_id,pinned_tweet_id&tweet.fields=created_at&${people}`
const olderMessages = `dm_event.fields=attachments,created_at,dm_conversation_id,event_type,participant_ids,referenced_tweets,sender_id,text&expansions=sender_id,participant_ids,attachments.media_keys,referenced_tweets.id&${people}`
function olderNames(path: string): string {
  if (path === '/2/dm_events') return olderMessages
  return path.endsWith('followers') || path.endsWith('following') ? olderPeople : olderPosts
}

for (const [path, [options, newer, older]] of Object.entries(lists)) {
  test(`${path}: every page with all fields matches the published types`, async (t) => {
    if (typeof posts === 'string') return t.skip(posts)
    const { pages } = await walkAll(app, `${path.replace('{id}', id)}?max_results=100&${everything(options)}`, token)
    assert.ok(pages.some(({ data }) => data !== undefined))
    for (const page of pages) assert.deepEqual(posts.check(newer, page).slice(0, 10), [])
  })

  test(`${path}: every page with the older names matches the published types`, async (t) => {
    if (typeof tweets === 'string') return t.skip(tweets)
    const query = `max_results=100&${olderNames(path)}`
    const { pages } = await walkAll(app, `${path.replace('{id}', id)}?${query}`, token)
    for (const page of pages) assert.deepEqual(tweets.check(older, page).slice(0, 10), [])
  })
}

test('single responses and problems match the published types', async (t) => {
  if (typeof posts === 'string') return t.skip(posts)
  const all = everything('GetPostsOptions$1')
  const own = await walkAll(app, `/2/users/${id}/tweets?max_results=5`, token)
  const talks = await walkAll(app, '/2/dm_events?dm_event.fields=dm_conversation_id', token)
  const talk = String(talks.items[0]?.['dm_conversation_id'])
  const other = talk.split('-').find((one) => one !== id)
  const calls: [path: string, type: string][] = [
    [`/2/users/me?${everything('GetMeOptions')}`, 'GetUsersMeResponse'],
    [`/2/users/${id}?${everything('GetByIdOptions$3')}`, 'GetUsersByIdResponse'],
    [`/2/users/by/username/ada?${everything('GetByUsernameOptions')}`, 'GetUsersByUsernameResponse'],
    [`/2/users?ids=${id},20&${everything('GetByIdsOptions$1')}`, 'GetUsersByIdsResponse'],
    [`/2/tweets/${own.items[0]?.id}?${all}`, 'GetPostsByIdResponse'],
    [`/2/tweets?ids=${own.items[0]?.id},20&${all}`, 'GetPostsByIdsResponse'],
    [
      `/2/dm_conversations/${talk}/dm_events?${everything('GetEventsByConversationIdOptions')}`,
      'GetDirectMessagesEventsByConversationIdResponse',
    ],
    [
      `/2/dm_conversations/with/${other}/dm_events?${everything('GetEventsByParticipantIdOptions')}`,
      'GetDirectMessagesEventsByParticipantIdResponse',
    ],
  ]
  for (const [path, type] of calls) {
    const response = await get(app, path, token)
    assert.equal(response.status, 200, path)
    assert.deepEqual(posts.check(type, await response.json()), [], path)
  }
})

test('the check detects a wrong type, an unknown property and a missing one', (t) => {
  if (typeof posts === 'string') return t.skip(posts)
  const check = (data: object) => posts.check('GetUsersMeResponse', { data })
  assert.deepEqual(check({ id: '20', connection_status: ['following'] }), [])
  assert.match(check({ id: 20 }).join(), /data\/id must be string/)
  assert.match(check({ id: '20', screen_name: 'ada' }).join(), /additional properties screen_name/)
  assert.match(check({ id: '20', connection_status: ['friends'] }).join(), /connection_status\/0 must be/)
  assert.match(check({ id: '20', public_metrics: { followers_count: 1 } }).join(), /required property 'listed_count'/)
})
