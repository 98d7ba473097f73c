import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { faultOfPath, refuseOtherCall } from '#flows/proxy/token-limits.ts'
import { ApiError } from '#model/errors.ts'
import { cases, seedOf } from '../../../harness/effort.ts'

const FAST_CHECK = { numRuns: cases(5000, 'TOKEN_LIMITS_RUNS'), seed: seedOf('TOKEN_LIMITS_SEED') }

const api = {
  baseUrl: 'https://api.example.test/v1',
  pathHosts: { '/upload': 'https://up.example.test' },
}

function isAllowed(paths: string[], path: string): boolean {
  try {
    refuseOtherCall({ service: 'x', paths }, { method: 'GET', path, query: '', headers: {} }, api)
    return true
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.equal(error.reason, 'token_restricted')
    return false
  }
}

/** What a server may make of a path: it decodes some times, cuts off parameters, reads `\` as `/`, and resolves dot segments. */
function readings(path: string): string[] {
  const found: string[] = []
  let text = path
  for (let round = 0; round < 6; round += 1) {
    const segments = text.replaceAll('\\', '/').split('/')
    for (const plain of [segments, segments.map((segment) => segment.replace(/;.*/, ''))]) {
      const resolved: string[] = []
      for (const segment of plain.slice(1)) {
        if (segment === '..') resolved.pop()
        else if (segment !== '.') resolved.push(segment)
      }
      found.push(`/${resolved.join('/')}`)
    }
    text = text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
  return found
}

const part = fc.constantFrom(
  '\t',
  ...'a b ada / // \\ . .. ... ; % ? : https: %00 %0a %c0%ae %2e %2E %252e %25252e %2f %252f'.split(' '),
  ...'%5c %255c %3b %61 %2561 ． %ef%bc%8e'.split(' '),
)
const hostile = fc.array(part, { maxLength: 12 }).map((parts) => `/${parts.join('')}`)

suite('the paths of a token for one service', () => {
  test('however a server reads a path that is allowed, it is at or below one of them', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (path, isBelow) => {
        const called = isBelow ? `/ada${path}` : path
        if (!isAllowed(['/ada'], called)) return
        for (const reading of readings(called)) assert.match(reading, /^\/ada(?:\/|$)/, `${called} as ${reading}`)
      }),
      FAST_CHECK,
    )
  })

  test('a path that a token may name allows itself, and what is below it', () => {
    fc.assert(
      fc.property(hostile, (path) => {
        if (faultOfPath(path) !== undefined || path.includes('//')) return
        assert.ok(isAllowed([path], path), path)
        assert.ok(isAllowed([path], `${path.replace(/\/$/, '')}/below`), path)
      }),
      FAST_CHECK,
    )
  })

  test('a whole address is a path where the API has it, or the host of this path', () => {
    for (const path of ['/https://api.example.test/v1/me', '/https:/api.example.test/v1/me', '/me/', '/%6de'])
      assert.ok(isAllowed(['/me'], path), path)
    for (const path of [
      '/https://api.example.test/me',
      '/https://up.example.test/me',
      '/http://api.example.test/v1/me',
    ])
      assert.ok(!isAllowed(['/me'], path), path)
    for (const path of ['/upload/x', '/https://up.example.test/upload/x']) assert.ok(isAllowed(['/upload'], path), path)
    assert.ok(!isAllowed(['/upload'], '/https://api.example.test/upload/x'))
    assert.ok(isAllowed(['https://UP.example.test/other'], '/https://up.example.test/other/x'))
    assert.ok(!isAllowed(['https://up.example.test/other'], '/https://up.example.test:444/other'))
    assert.ok(!isAllowed(['https://up.example.test/'], '/https://up.example.test.evil.test/'))
    assert.ok(!isAllowed(['https://up.example.test/'], '/https://up.example.test@evil.test/'))
  })
})
