import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { kind } from '../read/kind.ts'
import { childrenFault, childrenOf, depthOf } from './child-endpoints.ts'
import { type EndpointInput, endpoint } from './endpoint.ts'

interface Note {
  id: string
}

const note = kind<Note>({ name: 'note', id: ({ id }) => id, map: {} })

function notes(input: Partial<EndpointInput<Note[], Note>> = {}) {
  return endpoint<Note[], Note>({
    path: '/notes',
    items: (body) => body,
    kind: note,
    types: ['statuses'],
    every: '1h',
    class: 'core',
    ...input,
  })
}

suite('the definition of child endpoints', () => {
  const list = notes()
  const child = (input: Partial<EndpointInput<Note[], Note>>) =>
    notes({ each: 'list', path: '/{parent}/notes', ...input })

  test('is right for lists of lists, batches and children of children', () => {
    const details = child({ each: 'entries', path: '/details', batch: { size: 50, param: 'ids' } })
    const endpoints = { details, entries: child({}), list }
    assert.equal(childrenFault(endpoints), undefined)
    assert.deepEqual(childrenOf(endpoints, 'list'), ['entries'])
    assert.deepEqual(
      ['list', 'entries', 'details'].map((name) => depthOf(endpoints, name)),
      [0, 1, 2],
    )
  })

  for (const [what, endpoints, message] of [
    [
      'an unknown parent',
      { list, a: child({ each: 'lists' }) },
      /^endpoint `a`: `each` names `lists`, which is not an endpoint/,
    ],
    ['the person', { a: child({ each: 'self' }) }, /has no items/],
    ['itself', { a: child({ each: 'a' }) }, /cycle: a → a/],
    ['a cycle', { a: child({ each: 'b' }), b: child({ each: 'a' }) }, /cycle: a → b → a/],
    ['a placeholder without a parent', { a: notes({ path: '/{parent}' }) }, /needs `each`/],
    ['requests that do not name the parent', { list, a: child({ path: '/same' }) }, /same for every parent/],
    [
      'a batch that does not name the parents',
      { list, a: child({ path: '/same', batch: { size: 5 } }) },
      /`batch` needs/,
    ],
    ['a batch without size', { list, a: child({ batch: { size: 0, param: 'ids' } }) }, /from 1 to 500/],
    ['a version that is never compared', { list, a: child({ version: () => 1 }) }, /`version` and `allEvery`/],
  ] as const)
    test(`is refused for ${what}`, () => {
      assert.match(childrenFault(endpoints) ?? '', message)
    })
})
