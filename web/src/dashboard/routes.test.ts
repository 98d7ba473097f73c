import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { RegisteredRouter } from '@tanstack/react-router'
import { NAVIGATION } from './navigation.ts'

type Paths = keyof RegisteredRouter['routesByPath']

suite('the routes of the dashboard', () => {
  test('are known to the compiler one by one: were any text a route, this file would not compile', () => {
    const isAnyTextARoute: string extends Paths ? true : false = false
    assert.equal(isAnyTextARoute, false)
  })

  test('of the navigation are all different, and none has a parameter', () => {
    const paths: Paths[] = NAVIGATION.map(({ to }) => to)
    assert.equal(new Set(paths).size, paths.length)
    assert.deepEqual(
      paths.filter((path) => path.includes('$')),
      [],
    )
  })
})
