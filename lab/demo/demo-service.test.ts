import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { movableClock } from '../base/clock.ts'
import { makePeople } from '../base/people.ts'
import { seededRandom } from '../base/random.ts'
import { isShown } from '../data/item-store.ts'
import { demoHealth } from '../services/demo-health/service.ts'
import { demoMicro } from '../services/demo-micro/service.ts'
import { createSocialData } from '../services/demo-social/data.ts'
import { demoSocial } from '../services/demo-social/service.ts'
import { type DemoService, startDemoService } from './demo-service.ts'
import { stateFile } from './state-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'lab-demo-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const clock = movableClock()
let base = 'http://localhost:1'
const start = (definition: typeof demoSocial): Promise<DemoService> =>
  startDemoService(definition, {
    folder,
    sockets: folder,
    clock,
    seed: '1',
    url: () => `${base}/demo/services/${definition.name}`,
    reach: (url) => url,
  })

suite('a demo service', () => {
  for (const definition of [demoSocial, demoMicro, demoHealth]) {
    test(`${definition.name}: time, faults, limits and apps are those of the last run`, async () => {
      const first = await start(definition)
      const registered = first.register({ name: 'App', key: 'app-1', redirectUri: `${base}/back` })
      first.act('week_later')
      first.act('down')
      first.act('throttle')
      const saved = first.shown()
      const { kept = {} } = first.service
      const items = JSON.stringify(kept['items']?.save())
      assert.ok(items.length > 1000)
      // Not closed: a killed process closes nothing.
      base = 'http://localhost:2'
      const second = await start(definition)
      const { now, ...rest } = second.shown()
      assert.deepEqual(rest, { ...rest, down: true, throttled: true })
      assert.ok(now >= saved.now)
      assert.deepEqual(second.register({ name: 'App', key: 'app-1', redirectUri: `${base}/back` }), registered)
      const again = second.service.kept ?? {}
      assert.equal(JSON.stringify(again['items']?.save()), items)
      second.act('up')
      second.act('unthrottle')
      assert.equal(second.service.faults.pending().length, 0)
      await first.service.close()
      await second.service.close()
    })
  }

  test('the state is one file that only its owner reads, replaced as a whole', () => {
    const path = join(folder, 'state.json')
    const file = stateFile(path)
    assert.equal(file.read(), undefined)
    file.write({ a: 1 })
    assert.equal(statSync(path).mode & 0o077, 0)
    const { ino } = statSync(path)
    file.write({ a: 1 })
    assert.equal(statSync(path).ino, ino, 'nothing changed, nothing is written')
    file.write({ a: 2 })
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { a: 2 })
    assert.deepEqual(stateFile(path).read(), { a: 2 })
  })
})

test('a week adds, edits and deletes, with ids that nothing has, also after a restart', () => {
  const people = makePeople((_username, at) => String(at))
  const make = () =>
    createSocialData({ people, random: seededRandom(1), nowMs: Date.UTC(2026, 0, 1), url: () => 'http://demo.test' })
  const week = (at: number) => ({ fromMs: Date.UTC(2026, 0, at), untilMs: Date.UTC(2026, 0, at + 7) })
  const one = make()
  const shown = (data: typeof one) => data.store.list('ada', 'posts').filter(isShown).length
  const before = shown(one)
  one.later(week(1))
  assert.equal(shown(one), before + 4, 'five more, one deleted')
  const two = make()
  two.kept.load(JSON.parse(JSON.stringify(one.kept.save())))
  assert.deepEqual(two.store.list('ada', 'posts'), one.store.list('ada', 'posts'))
  two.later(week(8))
  const ids = two.store.list('ada', 'posts').map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})
