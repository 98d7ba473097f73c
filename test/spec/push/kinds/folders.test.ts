import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { CheckpointDiffers, type Connection, DeliveryError } from '#destinations/contract.ts'
import { folderStore } from '#destinations/files/folder-store.ts'
import { createKinds } from '#destinations/kinds.ts'
import { ApiError } from '#model/errors.ts'
import { makePerson } from './changes.ts'
import { deps, destinationOf } from './fixture.ts'

const filesDir = mkdtempSync(join(tmpdir(), 'tributary-folders-'))
const { files } = createKinds({ filesDir })
const destination = destinationOf('files')

after(async () => {
  await deps.close()
  rmSync(filesDir, { recursive: true, force: true })
})

const entriesOf = (folder: string) => new Set(readdirSync(folder, { recursive: true }).map(String))
const refusals = (results: PromiseSettledResult<unknown>[]) => results.filter((each) => each.status === 'rejected')
const addressOf = (...parts: string[]) => pathToFileURL(join(filesDir, ...parts)).href
const open = (...parts: string[]): Connection => files.open(deps, destination, { url: addressOf(...parts) })

suite('folders of apps', () => {
  let outside: string
  let own: string
  beforeEach(() => {
    for (const name of readdirSync(filesDir)) rmSync(join(filesDir, name), { recursive: true })
    outside = join(filesDir, 'outside')
    own = join(filesDir, destination.appId)
    mkdirSync(join(outside, destination.id, '_profiles'), { recursive: true })
    writeFileSync(join(outside, destination.id, 'precious.txt'), 'precious')
  })

  const everyStep: [name: string, (connection: Connection) => Promise<unknown>][] = [
    ['prepare', (connection) => connection.prepare()],
    ['write', (connection) => connection.write(person().batch([person().put('a', 1)]))],
    ['erase', (connection) => connection.erase({ destinationId: destination.id, profileId: 'p', epoch: 9 })],
    ['drop', (connection) => connection.drop()],
  ]
  const person = () => makePerson(destination.id)

  test('an app can only use its own folder', () => {
    files.checkAddress(addressOf('app_a', 'out'), 'app_a')
    files.checkAddress(addressOf('app_a'), 'app_a')
    for (const parts of [['app_b', 'out'], ['app_a-b'], ['out'], [], ['app_a', '..', 'app_b']])
      assert.throws(
        () => files.checkAddress(addressOf(...parts), 'app_a'),
        (error) => error instanceof ApiError && /own folder/.test(error.message),
        parts.join('/'),
      )
  })

  test('an address outside the folder of the app, stored by an older release, fails the delivery', async () => {
    const connection = open('somewhere')
    await assert.rejects(
      connection.prepare(),
      (error) => error instanceof DeliveryError && /own folder/.test(error.message),
    )
    const [finding] = await connection.test()
    assert.match(finding!.detail, /own folder/)
    assert.ok(!existsSync(join(filesDir, 'somewhere')))
  })

  for (const [what, link] of [
    ["the app's folder", () => symlinkSync(outside, own)],
    [
      'the folder in it',
      () => {
        mkdirSync(own)
        symlinkSync(outside, join(own, 'out'))
      },
    ],
    [
      "the destination's folder",
      () => {
        mkdirSync(join(own, 'out'), { recursive: true })
        symlinkSync(join(outside, destination.id), join(own, 'out', destination.id))
      },
    ],
  ] as const) {
    test(`a link instead of ${what} is refused before anything is created or removed`, async () => {
      link()
      const before = entriesOf(outside)
      const connection = open('app', 'out')
      const findings = await connection.test()
      assert.match(findings[0]!.detail, /link/)
      for (const [name, step] of everyStep)
        await assert.rejects(
          step(connection),
          (error) => error instanceof DeliveryError && /link/.test(error.message),
          name,
        )
      assert.deepEqual(entriesOf(outside), before)
      assert.equal(readFileSync(join(outside, destination.id, 'precious.txt'), 'utf8'), 'precious')
    })
  }

  test('a link that is created later is refused too', async () => {
    const connection = open('app', 'out')
    await connection.prepare()
    renameSync(join(own, 'out'), join(own, 'moved'))
    symlinkSync(outside, join(own, 'out'))
    await assert.rejects(connection.drop(), /link/)
    assert.ok(existsSync(join(outside, destination.id, 'precious.txt')))
  })

  test('a checkpoint that is a link is not read', async () => {
    const connection = open('app', 'out')
    await connection.prepare()
    const secret = join(outside, 'secret.json')
    writeFileSync(secret, '{"seq":7,"epoch":1,"updated_at":1}')
    const ada = person()
    mkdirSync(join(own, 'out', destination.id, '_profiles'))
    symlinkSync(secret, join(own, 'out', destination.id, '_profiles', `${ada.profile.id}.json`))
    await assert.rejects(connection.write(ada.batch([ada.put('a', 1)])), DeliveryError)
    assert.equal(readFileSync(secret, 'utf8'), '{"seq":7,"epoch":1,"updated_at":1}')
  })

  for (const claimed of [
    '{"seq":1e308,"epoch":1,"updated_at":1}',
    '{"seq":"9","epoch":1,"updated_at":1}',
    '{"seq":1,"epoch":9007199254740991,"updated_at":1}',
    '{"seq":1,"epoch":1}',
    '{"seq":-2,"epoch":1,"updated_at":1}',
    'null',
    '[]',
  ])
    test(`an invalid checkpoint fails the delivery: ${claimed}`, async () => {
      const connection = open('app', 'out')
      await connection.prepare()
      const ada = person()
      const state = join(own, 'out', destination.id, '_profiles', `${ada.profile.id}.json`)
      mkdirSync(dirname(state))
      writeFileSync(state, claimed)
      await assert.rejects(connection.write(ada.batch([ada.put('a', 1)])), /checkpoint .* cannot be read/)
      assert.equal(readFileSync(state, 'utf8'), claimed)
    })

  test('drop neither follows nor removes a link in the folder', async () => {
    const connection = open('app', 'out')
    await connection.prepare()
    symlinkSync(outside, join(own, 'out', destination.id, 'link'))
    await connection.drop()
    assert.ok(existsSync(join(outside, destination.id, 'precious.txt')))
    assert.ok(!existsSync(join(own, 'out', destination.id, '_manifest.json')))
  })

  test('a file is written although its folder is removed concurrently', async () => {
    const store = folderStore(join(own, 'busy'), filesDir)
    const empty = async () => {
      for await (const names of store.pages('p/', 10)) for (const name of names) await store.remove(name)
    }
    for (let i = 0; i < 200; i += 1) await Promise.all([store.put(`p/${i % 5}`, Buffer.from('x'), ''), empty()])
    await store.put('p/last', Buffer.from('x'), '')
    assert.equal(await store.get('p/last'), 'x')
  })

  test('a write and an erasure of one profile never fail because the other removed a folder', async () => {
    const connection = open('app', 'out')
    await connection.prepare()
    const round = async () => {
      const ada = person()
      await connection.write(ada.batch([ada.put('a', 1)], { epoch: 1 }))
      const writes = [2, 3, 4].map((seq) => connection.write(ada.batch([ada.put(`b${seq}`, seq)], { epoch: 2 })))
      const erasures = [3, 4, 5].map((epoch) =>
        connection.erase({ destinationId: destination.id, profileId: ada.profile.id, epoch }),
      )
      for (const { status, reason } of await Promise.allSettled([...writes, ...erasures]).then(refusals))
        assert.ok(reason instanceof CheckpointDiffers, `${status}: ${reason}`)
    }
    for (let i = 0; i < 30; i += 1) await Promise.all(Array.from({ length: 8 }, round))
  })

  test('folders and files are not world-readable', async () => {
    const ada = person()
    await open('app', 'out').write(ada.batch([ada.put('a', 1)]))
    for (const entry of readdirSync(own, { recursive: true, withFileTypes: true })) {
      const { mode } = statSync(join(entry.parentPath, entry.name))
      assert.equal(mode & 0o027, 0, `${entry.name} ${(mode & 0o777).toString(8)}`)
    }
    assert.equal(statSync(own).mode & 0o027, 0)
  })
})
