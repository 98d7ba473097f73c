import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { codeOf, isUnavailable, reasonOf } from './errors.ts'

const coded = (code: unknown, message = 'x') => Object.assign(new Error(message), { code })

suite('errors', () => {
  test('any thrown thing has a reason', () => {
    assert.equal(reasonOf(new Error('a')), 'a')
    assert.equal(reasonOf('b'), 'b')
    assert.equal(reasonOf(undefined), 'undefined')
    assert.equal(reasonOf(new AggregateError([new Error('one'), new Error('two')])), 'one; two')
    assert.equal(reasonOf(new AggregateError([], 'named')), 'named')
  })

  test('the code is found, also inside the failure of several tries', () => {
    assert.equal(codeOf(coded('ECONNREFUSED')), 'ECONNREFUSED')
    assert.equal(codeOf(new AggregateError([coded('ETIMEDOUT')])), 'ETIMEDOUT')
    for (const none of [new Error('x'), coded(5), { code: 'x' }, null, 'x']) assert.equal(codeOf(none), undefined)
  })

  test('tells errors that a retry may solve from those that it will not', () => {
    for (const code of [
      '57P01',
      '57P03',
      '08006',
      '53300',
      '53100',
      'ECONNRESET',
      'ECONNREFUSED',
      'EPIPE',
      'ENOTFOUND',
    ])
      assert.equal(isUnavailable(coded(code)), true, code)
    for (const message of [
      'Connection terminated unexpectedly',
      'timeout exceeded when trying to connect',
      // Of a sharded server.
      'SSL SYSCALL error: EOF detected\ninvalid socket',
      'could not commit transaction for shard 102008 on at least one active node',
      'server closed the connection unexpectedly',
      'failure on connection marked as essential: 10.0.0.1:5432',
      "failed to prepare transaction 'citus_0_1_2_0' on host 10.0.0.1:5432",
      'Query read timeout',
      'Client has encountered a connection error and is not queryable',
    ])
      assert.equal(isUnavailable(new Error(message)), true, message)
    for (const code of ['23505', '42P01', '22021', 'ERR_INVALID_ARG_TYPE'])
      assert.equal(isUnavailable(coded(code)), false, code)
    assert.equal(isUnavailable(new TypeError('undefined is not a function')), false)
  })
})
