import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isPlausible } from './find-deleted.ts'

suite('how many items may be deleted at once', () => {
  const cases: [what: string, rows: [deleted: number, stored: number, plausible: boolean][]][] = [
    [
      'nothing is missing',
      [
        [0, 0, true],
        [0, 1, true],
        [0, 1000, true],
      ],
    ],
    [
      'a whole list only if it had one item',
      [
        [1, 1, true],
        [2, 2, false],
        [3, 3, false],
        [1000, 1000, false],
      ],
    ],
    [
      'up to three of any longer list',
      [
        [1, 2, true],
        [3, 4, true],
        [3, 1000, true],
        [4, 5, false],
      ],
    ],
    [
      'up to ten while more than half is left',
      [
        [4, 9, true],
        [4, 8, false],
        [10, 21, true],
        [10, 20, false],
      ],
    ],
    [
      'more than ten only up to a fifth',
      [
        [11, 55, true],
        [11, 54, false],
        [200, 1000, true],
        [201, 1000, false],
      ],
    ],
  ]
  for (const [what, rows] of cases)
    test(what, () => {
      for (const [deleted, stored, plausible] of rows)
        assert.equal(isPlausible(deleted, stored), plausible, `${deleted} of ${stored}`)
    })
})
