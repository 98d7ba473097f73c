import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answerSchema, openApiCheck } from '../../testing/vendor-schema.ts'
import { get, startX, tokensFor, walkAll, type XApp } from './testing.ts'

const check = openApiCheck({ file: 'x-openapi.json' })
let app: XApp
let token: string
let id: string
before(async () => {
  app = await startX()
  token = (await tokensFor(app)).access_token
  id = app.service.people.find(({ username }) => username === 'ada')?.id ?? ''
})
after(() => app.lab.close())

const posts =
  'post.fields=attachments,conversation_id,created_at,display_text_range,edit_controls,entities,geo,lang,note_post,possibly_sensitive,public_metrics,reply_settings,source' +
  '&expansions=author_id,referenced_posts,attachments.media_keys,geo.place_id,entities.mentions.username,in_reply_to_user_id' +
  '&media.fields=url,preview_image_url,variants,alt_text,width,height,duration_ms&place.fields=geo,country,country_code,full_name,name,place_type,contained_within' +
  '&user.fields=created_at,description,location,profile_image_url,protected,public_metrics,verified,verified_type'
const users =
  'post.fields=id&user.fields=created_at,description,location,profile_image_url,protected,public_metrics,verified,verified_type,connection_status'
const messages =
  'dm_event.fields=attachments,created_at,dm_conversation_id&expansions=sender_id,participant_ids,referenced_posts'

const lists: Record<string, string> = {
  '/2/users/{id}/tweets': posts,
  '/2/users/{id}/mentions': posts,
  '/2/users/{id}/timelines/reverse_chronological': posts,
  '/2/users/{id}/liked_tweets': posts,
  '/2/users/{id}/bookmarks': posts,
  '/2/users/{id}/followers': users,
  '/2/users/{id}/following': users,
  '/2/dm_events': messages,
}

for (const [path, query] of Object.entries(lists))
  test(`${path} fits the published schema, every page`, async (t) => {
    if (typeof check === 'string') return t.skip(check)
    const { pages } = await walkAll(app, `${path.replace('{id}', id)}?max_results=100&${query}`, token)
    for (const page of pages) assert.deepEqual(check(answerSchema(path), page).slice(0, 10), [])
  })

test('single answers and problems fit the published schema', async (t) => {
  if (typeof check === 'string') return t.skip(check)
  const me: unknown = await (await get(app, `/2/users/me?${users}`, token)).json()
  assert.deepEqual(check(answerSchema('/2/users/me'), me), [])
  const gone: unknown = await (await get(app, '/2/tweets?ids=20', token)).json()
  assert.deepEqual(check(answerSchema('/2/tweets'), gone), [])
})

test('the check itself notices a wrong type', (t) => {
  if (typeof check === 'string') return t.skip(check)
  assert.notDeepEqual(check(answerSchema('/2/users/me'), { data: { id: 20 } }), [])
})
