import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { until } from '../harness/until.ts'
import { type SmallClone, smallClone } from './small-clone.ts'

/** Only root can become another user, and may write everywhere otherwise. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

suite('the bundle of a clone', () => {
  let clone: SmallClone
  beforeEach(() => {
    clone = smallClone()
  })
  afterEach(() => {
    execFileSync('chmod', ['-R', 'u+w', clone.folder])
    clone.remove()
  })

  test('is built by the first start, and finds all files that the sources find', () => {
    const { out, stderr } = clone.run('serve')
    const [name] = clone.bundles()
    assert.match(stderr, /^Built the bundle in [\d.]+ s\.\n$/m)
    assert.deepEqual(out, {
      program: join(clone.folder, 'bundle', name!, 'main.js'),
      command: 'serve',
      own: out.own,
      dirname: out.dirname,
      url: pathToFileURL(join(clone.folder, 'src/main.ts')).href,
      root: 'rootroot',
      beside: 'beside',
      kit: true,
      worker: 'first worker',
    })
    assert.equal(join(out.own), join(clone.folder, 'src/main.ts'))
    assert.equal(join(out.dirname), join(clone.folder, 'src'))
    assert.equal(clone.run('serve').stderr, '', 'the next start builds nothing')
    assert.equal(clone.run('app').out.program, out.program, 'commands run it too')
    const marks = readdirSync(dirname(out.program)).filter((file) => file.startsWith('used-by-'))
    assert.equal(marks.length, 1, 'the mark of the start before is removed')
  })

  test('a source that changes is never run from the old bundle; commands run the sources, the next start builds again', () => {
    const { program } = clone.run('serve').out
    clone.write('src/boot/worker-main.ts', "process.stdout.write('second worker')\n")
    const command = clone.run('app').out
    assert.deepEqual([command.program, command.worker], [join(clone.folder, 'src/main.ts'), 'second worker'])
    const start = clone.run('serve').out
    assert.equal(start.worker, 'second worker')
    assert.notEqual(start.program, program)
    assert.match(start.program, /\/bundle\//)
  })

  test('a bundle that a process uses stays; one that nobody used since the one before the last is removed', async () => {
    const versions: string[] = []
    for (const version of ['first', 'second', 'third', 'fourth']) {
      clone.write('src/boot/worker-main.ts', `process.stdout.write('${version}')\n`)
      await clone.build().ended
      versions.push(clone.bundles().find((name) => !versions.includes(name))!)
      // This process runs from then on.
      if (version === 'second') writeFileSync(join(clone.folder, 'bundle', versions[1]!, `used-by-${process.pid}`), '')
    }
    assert.deepEqual(clone.bundles(), versions.slice(1).toSorted())
  })

  test('killed while it is built, it is built again, and nothing of the half remains', async () => {
    const { child, ended } = clone.build()
    await until('the build has begun', () => existsSync(join(clone.folder, 'web/.building')) || undefined)
    child.kill('SIGKILL')
    await ended
    mkdirSync(join(clone.folder, 'bundle', `.new-${child.pid}`), { recursive: true })
    writeFileSync(join(clone.folder, 'bundle', `.new-${child.pid}`, 'main.js'), 'half')
    assert.deepEqual(clone.bundles(), [])
    assert.equal(clone.run('app').out.program, join(clone.folder, 'src/main.ts'))
    assert.match(clone.run('serve').out.program, /\/bundle\//)
    assert.equal(clone.inFolder().length, 1)
  })

  test('two starts at once build it once', async () => {
    const codes = await Promise.all([clone.build().ended, clone.build().ended])
    assert.deepEqual(codes.flat(), [0, null, 0, null])
    assert.equal(clone.inFolder().length, 1)
    assert.ok(!existsSync(join(clone.folder, 'web/.building')))
  })

  test('where nothing can be written, a bundle that is there is used, and otherwise the sources are run', () => {
    const { program } = clone.run('serve').out
    execFileSync('chmod', ['-R', 'a+rX,a-w', clone.folder])
    const { out, stderr } = clone.run('serve', OTHER_USER)
    assert.deepEqual([out.program, out.worker, stderr], [program, 'first worker', ''])
    execFileSync('chmod', ['u+w', join(clone.folder, 'src/boot/worker-main.ts')])
    clone.write('src/boot/worker-main.ts', "process.stdout.write('second worker')\n")
    const changed = clone.run('serve', OTHER_USER)
    assert.deepEqual([changed.out.program, changed.out.worker], [join(clone.folder, 'src/main.ts'), 'second worker'])
    assert.match(changed.stderr, /^The bundle was not built\./m)
  })

  test('a file that is named and missing stops the build, not the start', () => {
    clone.write('src/boot/kit-address.ts', "export const KIT = new URL('../kit/gone.ts', import.meta.url).href\n")
    const { stderr } = clone.run('serve')
    assert.match(stderr, /src\/boot\/kit-address\.ts names src\/kit\/gone\.ts, which is not there/)
    assert.match(stderr, /^The bundle was not built\./m)
    assert.deepEqual(clone.inFolder(), [])
  })
})
