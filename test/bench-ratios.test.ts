import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { leastOf, type Measured, mostOf } from '../bench/bounds.ts'
import { checkBound } from '../bench/compare/check-bound.ts'
import { chooseOperations, OPERATIONS, summed } from '../bench/compare/operations.ts'
import { ratiosOf, spreadOf, verdictOf } from '../bench/compare/ratios.ts'
import { alternate } from '../bench/compare/rounds.ts'
import { cpuBetween } from '../bench/cpu-time.ts'

const rounds = (count: number, ratio: number, ...others: number[]) => [...Array<number>(count).fill(ratio), ...others]

suite('ratios of the comparing benchmark', () => {
  test('a ratio is taken within its round, so a load that comes and goes does not change the median', () => {
    const ratios = ratiosOf([20, 200, 2000], [10, 100, 1000])
    assert.deepEqual(ratios, [2, 2, 2])
    assert.deepEqual(spreadOf([3, 1, 2, 5, 4]), { rounds: 5, median: 3, lower: 2, upper: 4 })
    assert.deepEqual(spreadOf([1, 2]), { rounds: 2, median: 1.5, lower: 1.25, upper: 1.75 })
  })

  test('the verdict needs eight rounds, three per cent, and rounds that agree', () => {
    assert.equal(verdictOf(rounds(7, 2)), 'too few rounds')
    assert.equal(verdictOf(rounds(9, 1.02)), 'same')
    assert.equal(verdictOf(rounds(9, 1.04)), 'slower')
    assert.equal(verdictOf(rounds(9, 0.96)), 'faster')
    // A round that says the opposite counts little if it is near 1, and much if it is the furthest of all.
    assert.equal(verdictOf(rounds(10, 1.1, 0.99)), 'slower')
    assert.equal(verdictOf(rounds(10, 0.9, 1.01)), 'faster')
    assert.equal(verdictOf(rounds(10, 1.1, 0.5)), 'same')
    assert.equal(verdictOf([1.2, 0.8, 1.1, 0.9, 1.3, 0.7, 1.05, 0.97, 1.04]), 'same')
  })

  test('a share of the rival must not be below its bound, a multiple not above it', () => {
    const isKept = (ours: number, rival: number, measured: Measured) =>
      checkBound('loading', { first: [ours], second: [rival] }, measured).isKept
    assert.equal(isKept(200, 101, { share: 0.6 }), true)
    assert.equal(isKept(200, 99, { share: 0.6 }), false)
    assert.equal(isKept(399, 10, { multiple: 30 }), true)
    assert.equal(isKept(401, 10, { multiple: 30 }), false)
    const { line } = checkBound('proxy up', { first: [400, 500, 100], second: [100, 100, 100] }, { share: 0.4 })
    assert.match(line, /^proxy up +0\.25 of a pass-through \(0\.23 to 0\.63\) +at least 0\.30 +MISSED; 3 rounds$/)
  })

  test('the margin is 0.1, a third of a small share, a tenth of one above 1, and a third of a multiple', () => {
    const bounds = [0.9, 0.4, 0.3, 0.09, 2].map((share) => leastOf(share).toFixed(2))
    assert.deepEqual(bounds, ['0.80', '0.30', '0.20', '0.06', '1.80'])
    assert.equal(mostOf(45), 60)
  })

  test('operations are chosen by name or by the first word of it', () => {
    assert.deepEqual(chooseOperations(['loading', 'proxy', 'read map']), [
      'read map',
      'proxy down',
      'proxy up',
      'proxy cold',
      'loading',
    ])
    assert.deepEqual(chooseOperations([]), [...OPERATIONS])
    assert.throws(() => chooseOperations(['reed']), /Unknown operation: reed\. Known operations: read type,/)
  })

  const sidesOf = (turn: (name: string) => number) =>
    ['new', 'old'].map((name) =>
      Object.fromEntries(OPERATIONS.map((each) => [each, summed(async () => turn(name))])),
    ) as unknown as Parameters<typeof alternate>[1]

  test('who begins changes with the turn and the round, and rounds that warm up do not count', async () => {
    const done: string[] = []
    const sides = sidesOf((name) => done.push(name))
    const { times, failed } = await alternate(['loading'], sides, ['new', 'old'], { rounds: 2, warmRounds: 1 })
    assert.deepEqual(done, ['old', 'new', 'new', 'old', 'old', 'new'])
    assert.deepEqual(times.get('loading'), { first: [3, 6], second: [4, 5] })
    assert.equal(failed.size, 0)
    done.length = 0
    await alternate(['read type'], sides, ['new', 'old'], { rounds: 1, warmRounds: 0 })
    assert.deepEqual(done.slice(0, 6), ['new', 'old', 'old', 'new', 'new', 'old'])
    assert.equal(done.length, 20)
  })

  test('a round in which one side failed does not count, and what fails twice in a row is named and left out', async () => {
    let calls = 0
    const failing = (which: number[]) =>
      sidesOf((name) => {
        if (name === 'old' && which.includes(calls++)) throw new Error('no such command')
        return 1
      })
    const once = await alternate(['loading'], failing([1]), ['new', 'old'], { rounds: 3, warmRounds: 0 })
    assert.deepEqual(once.times.get('loading'), { first: [1, 1], second: [1, 1] })
    calls = 0
    const twice = await alternate(['loading'], failing([0, 1]), ['new', 'old'], { rounds: 9, warmRounds: 1 })
    assert.deepEqual([...twice.failed], [['loading', 'old: Error: no such command']])
    assert.equal(twice.times.size, 0)
    assert.equal(calls, 2)
  })

  test('a connection that was closed between two readings does not count against the others', () => {
    const before = {
      processesMs: 10,
      backends: new Map([
        [1, 500],
        [2, 3],
      ]),
    }
    const after = {
      processesMs: 15,
      backends: new Map([
        [2, 4],
        [3, 7],
      ]),
    }
    assert.equal(cpuBetween(before, after), 5 + 1 + 7)
  })
})
