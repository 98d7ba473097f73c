import type { Batch } from '#destinations/contract.ts'
import type { DeleteRow, DeliveryProfile, DeliveryRow, PutRow } from '#model/apps/destination.ts'
import { formatIdr, globalId } from '#model/items/idr.ts'
import { newShardId } from '#platform/crypto/ids.ts'

/** A profile and the changes of its items, as a delivery run would make them. */
export interface Person {
  profile: DeliveryProfile
  put: (nativeId: string, seq: number, change?: Partial<PutRow>) => PutRow
  delete: (nativeId: string, seq: number) => DeleteRow
  batch: (rows: DeliveryRow[], change?: Partial<Batch>) => Batch
  idOf: (nativeId: string) => string
}

let made = 0

export function makePerson(destinationId: string, nativeId = `p${(made += 1)}-person`): Person {
  const owner = { owner: nativeId, service: 'demo' }
  const profile: DeliveryProfile = {
    id: newShardId(7, Date.now()),
    account: newShardId(7, Date.now()),
    service: 'demo',
    nativeId,
    name: 'Ada Löve 🐙',
    handle: 'ada',
    state: 'active',
    connectedAt: 1_700_000_000_000,
  }
  const nameOf = (item: string) => ({ ...owner, type: 'photo', endpoint: 'photos', item })
  const idOf = (item: string) => globalId(nameOf(item))
  return {
    profile,
    idOf,
    put: (item, seq, change = {}) => ({
      op: 'put',
      seq,
      id: idOf(item),
      idr: formatIdr(nameOf(item)),
      profile: profile.id,
      service: 'demo',
      endpoint: 'photos',
      nativeId: item,
      at: 1_700_000_000_123,
      updatedAt: 1_700_000_000_000 + seq,
      types: ['photos'],
      guid: ['urn:a', 'urn:b'],
      author: 'ada@demo',
      participants: ['ada@demo', 'bob@demo'],
      lat: 52.5,
      lng: 13.4,
      oembed: '{"type":"photo","title":"A photo","url":"https://x.test/p.jpg"}',
      map: '{"text":"hello"}',
      data: JSON.stringify({ id: item, version: seq }),
      ...change,
    }),
    delete: (item, seq) => ({
      op: 'delete',
      seq,
      id: idOf(item),
      profile: profile.id,
      endpoint: 'photos',
      nativeId: item,
      deletedAt: 1_700_000_000_000 + seq,
    }),
    batch: (rows, change = {}) => ({
      destinationId,
      profile,
      includesProfile: false,
      rows,
      from: 0,
      upTo: rows.at(-1)?.seq ?? 0,
      epoch: 1,
      generation: 0,
      ...change,
    }),
  }
}

/** Pseudo-random numbers, the same for the same seed, so that a failure can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export function shuffled<Each>(list: Each[], random: () => number): Each[] {
  return list
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each)
}
