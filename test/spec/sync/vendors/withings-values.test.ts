import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { withings } from '#connectors/withings/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { kind } from '#kit/read/kind.ts'
import { type Fixture, openFixture } from '../engine-fixture.ts'

interface Group {
  grpid: number
  date: number
  modified: number
  measures: { value: number; type: number; unit: number }[]
}

/** As the release before read them: one item for each group. */
const groups = endpoint<{ body: { measuregrps: Group[] } }, Group>({
  path: '/measure',
  method: 'POST',
  body: { form: { action: 'getmeas', lastupdate: '1', category: '1' } },
  items: ({ body }) => body.measuregrps,
  kind: kind<Group>({ name: 'measure', id: ({ grpid }) => grpid, at: ({ date }) => date * 1000, map: {} }),
  types: ['measures'],
  checkpoint: since<Group>({ param: 'lastupdate', value: ({ modified }) => modified, overlap: 3600 }),
  every: '1h',
  class: 'personal',
})

suite('values of Withings after an upgrade', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('replace the groups that the release before stored, and none is there twice', async () => {
    const at = 1_790_000_000
    const pressure = (grpid: number, i: number): Group => ({
      grpid,
      date: at + i,
      modified: at + i,
      measures: [
        { value: 80, type: 9, unit: 0 },
        { value: 120, type: 10, unit: 0 },
      ],
    })
    const all = Array.from({ length: 30 }, (_, i) => pressure(100 + i, i * 60))
    fixture.service.on('/measure', ({ body }) => {
      const from = Number(new URLSearchParams(body).get('lastupdate'))
      return { body: { status: 0, body: { measuregrps: all.filter(({ modified }) => modified >= from) } } }
    })
    const before = await fixture.use('withings-like', { measures: groups })
    const profile = await fixture.connect(before)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile, 'measures')).size, 30)

    const { measures } = withings.endpoints
    await fixture.use('withings-like', { measures: { ...measures!, scope: [] } })
    await fixture.sync(profile)
    const ids = all.flatMap(({ grpid }) => [`${grpid}/10/`, `${grpid}/9/`])
    const stored = async () => [...(await fixture.stored(profile, 'measures')).keys()]
    assert.deepEqual(await stored(), ids)
    const seqs = async () => [...(await fixture.stored(profile, 'measures')).values()].map(({ seq }) => seq)
    const first = await seqs()
    await fixture.sync(profile)
    assert.deepEqual(await seqs(), first, 'a second sync changes nothing')

    // A value that was deleted at the service: its group remains.
    all[3]!.measures.pop()
    fixture.clock.offsetMs += 31 * 86_400_000
    await fixture.run(profile)
    assert.deepEqual(
      await stored(),
      ids.filter((id) => id !== '103/10/'),
    )
  })
})
