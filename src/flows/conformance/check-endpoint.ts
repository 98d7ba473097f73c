import assert from 'node:assert/strict'
import type { Connector } from '#kit/connector/connector.ts'
import { type ItemDraft, itemReader } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { checkItem } from './check-item.ts'
import { checkGapsInRecords, checkGapsInResponse } from './gaps.ts'
import { type WalkSubject, walkEndpoint } from './walk-endpoint.ts'

/** Walks an endpoint of a running service, and checks what holds for the records of every service. */
export async function checkEndpoint(fixture: WalkSubject, name: string, endpoint: Endpoint): Promise<void> {
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
