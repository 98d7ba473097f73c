import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { reasonOf } from '#platform/errors.ts'
import { CHECKS } from '../scripts/checks/list.ts'
import { shownBy } from '../scripts/checks/shown-by.ts'
import { MUTANTS } from './mutants/list.ts'
import { dozenOf, mutate } from './mutants/mutant.ts'

const root = join(import.meta.dirname, '..')

suite('the list of checks', () => {
  test('each check is named by a test, and each test that names one names one of the list', () => {
    const named = [...shownBy().keys()].toSorted()
    const listed = CHECKS.map(({ id }) => id)
    assert.deepEqual(
      listed.filter((id, i) => listed.indexOf(id) !== i),
      [],
      'twice in scripts/checks',
    )
    assert.deepEqual(
      named.filter((id) => !listed.includes(id)),
      [],
      'not in scripts/checks',
    )
    assert.deepEqual(
      CHECKS.filter(({ id }) => !named.includes(id)).map(({ id, check }) => `${id} ${check}`),
      [],
      'no test has a name that begins with these',
    )
  })

  test('each check has a mutant that fits the code: one place, another meaning, tests that name the check', () => {
    assert.deepEqual(
      CHECKS.map(({ id }) => id).filter((id) => !MUTANTS.some(({ check }) => check === id)),
      [],
      'no mutant in test/mutants',
    )
    const shown = shownBy()
    const faults = MUTANTS.flatMap((mutant) => {
      const { check, file, tests } = mutant
      const text = readFileSync(join(root, file), 'utf8')
      try {
        const mutated = mutate(text, mutant)
        // One that does not parse would fail every test, and so prove nothing.
        if (file.endsWith('.ts')) stripTypeScriptTypes(mutated)
      } catch (error) {
        return [reasonOf(error)]
      }
      return [
        ...(mutant.find === mutant.replace ? [`${check}: ${file} is not changed`] : []),
        ...tests
          .filter((each) => !shown.get(check)?.includes(each))
          .map((each) => `${check}: ${each} does not name it`),
      ]
    })
    assert.deepEqual(faults, [])
  })

  test('a dozen mutants at a time, all of them come up, each once', () => {
    const seeds = Array.from({ length: Math.ceil(MUTANTS.length / 12) }, (_, i) => 20_000 + i)
    const dozens = seeds.map((seed) => dozenOf(MUTANTS, seed))
    for (const dozen of dozens) assert.ok(dozen.length > 0 && dozen.length <= 12)
    assert.deepEqual(new Set(dozens.flat()), new Set(MUTANTS))
    assert.equal(dozens.flat().length, MUTANTS.length)
  })
})
