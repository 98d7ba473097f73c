import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { readAnswer } from '#kit/ask.ts'
import type { Connector } from '#kit/connector.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import { type ItemDraft, itemReader } from '#kit/read-item.ts'
import { fillConnector } from '#upstream/fill-placeholders.ts'
import { checkAuthorizeUrl } from './connectors/check-authorize-url.ts'
import { checkDefinition } from './connectors/check-definition.ts'
import { checkItem } from './connectors/check-item.ts'
import { type Fixture, fixtureFor } from './connectors/fixture.ts'
import { checkGapsInRecords, checkGapsInResponse } from './connectors/gaps.ts'
import { SAMPLES } from './connectors/samples.ts'
import { walkEndpoint } from './connectors/walk-endpoint.ts'

// The conformance suite: runs for every registered connector.

test('services, titles and aliases are unique', () => {
  const names = connectors.flatMap(({ service, aliases }) => [service, ...aliases])
  assert.deepEqual(names, [...new Set(names)])
  const titles = connectors.map(({ title }) => title)
  assert.deepEqual(titles, [...new Set(titles)])
})

for (const connector of connectors) {
  const { missing, open } = await fixtureFor(connector)
  const { service, auth } = connector

  suite(service, () => {
    test('is well defined', () => checkDefinition(connector))

    if (auth.kind === 'oauth2' && !auth.discover)
      test('has the right authorization URL', () =>
        checkAuthorizeUrl(fillConnector(connector, exampleAnswers(connector))))

    for (const [name, record] of SAMPLES[service] ?? [])
      test(`a record of ${name} with missing fields`, () => checkGapsInRecords(connector, name, 'owner', [record]))

    if (missing !== false) {
      test(`${service} is walked`, { skip: missing }, () => {})
      return
    }

    suite('walked', () => {
      let fixture: Fixture
      before(async () => {
        fixture = await open()
      })
      after(() => fixture?.close())

      test('identifies the person', () => {
        assert.match(fixture.self.id, /\S/)
        assert.ok(URL.canParse(fixture.authorizeUrl))
      })

      for (const [name, endpoint] of Object.entries(connector.endpoints))
        test(name, () => checkEndpoint(fixture, name, endpoint))
    })
  })
}

/** The examples on the page must be answers. */
function exampleAnswers({ ask = {} }: Connector): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ask).map(([name, field]) => {
      const answer = readAnswer(field, field.example)
      assert.ok(answer, `the example of ${name}`)
      return [name, answer]
    }),
  )
}

async function checkEndpoint(fixture: Fixture, name: string, endpoint: Endpoint): Promise<void> {
  const { connector } = fixture.caller
  const first = await walkEndpoint(fixture, endpoint)
  assert.ok(first.records.length > 0, 'no records')
  const drafts = readAll(connector, name, endpoint, fixture.self.id, first.records)
  for (const { raw, draft } of drafts.values()) checkItem(endpoint, fixture.self.id, raw, draft)
  checkTogether(
    endpoint,
    [...drafts.values()].map(({ draft }) => draft),
  )

  await checkGapsInRecords(connector, name, fixture.self.id, first.records)
  await checkGapsInResponse(connector, name, fixture.self.id, first.response)

  const again = await walkEndpoint(fixture, endpoint)
  assert.deepEqual(readAll(connector, name, endpoint, fixture.self.id, again.records), drafts, 'read twice, the same')
  assert.equal(again.watermark, first.watermark)

  if (first.watermark === undefined) return
  const later = await walkEndpoint(fixture, endpoint, first.watermark)
  assert.equal(later.watermark, first.watermark, 'without changes the watermark stays')
  for (const [id, item] of readAll(connector, name, endpoint, fixture.self.id, later.records))
    if (!item.draft.deleted) assert.deepEqual(item, drafts.get(id), 'nothing new')
}

/** Items by id; a record that is listed twice must be equal both times. */
function readAll(connector: Connector, name: string, endpoint: Endpoint, owner: string, records: unknown[]) {
  const read = itemReader(connector, name, endpoint, owner)
  const byId = new Map<string, { raw: unknown; draft: ItemDraft }>()
  for (const raw of records) {
    const draft = read(raw)
    const before = byId.get(draft.id)
    if (before !== undefined) assert.deepEqual(draft, before.draft, `one id for two things: ${draft.nativeId}`)
    byId.set(draft.id, { raw, draft })
  }
  return byId
}

function checkTogether(endpoint: Endpoint, drafts: ItemDraft[]): void {
  const natives = drafts.map(({ nativeId }) => nativeId)
  assert.equal(new Set(natives).size, natives.length, 'native ids are unique')
  if (endpoint.kind.at)
    assert.ok(
      drafts.some(({ at }) => at !== undefined),
      'no item has a time',
    )
  if (endpoint.kind.participants)
    assert.ok(
      drafts.some(({ participants }) => participants.length > 0),
      'no participants',
    )
  if (endpoint.types.length > 0)
    assert.ok(
      drafts.some(({ types }) => types.length > 0),
      'no item has a type',
    )
}
