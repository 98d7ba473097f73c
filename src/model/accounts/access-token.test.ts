import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SHARDS } from '#platform/crypto/ids.ts'
import { newAccessToken, newTicket, readAccessToken, ticketShard } from './access-token.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const NOW = 1_790_000_000_123

suite('access tokens', () => {
  test('say which part and which moment, in fewer than 255 plain characters', () => {
    for (const shard of [0, 1, 31, 32, 511, SHARDS - 1]) {
      const token = newAccessToken(shard, NOW)
      assert.match(token, /^trt_[0-9a-z]{69}$/)
      assert.deepEqual(readAccessToken(token), { shard, issuedAt: NOW })
    }
  })

  test('hold times until the year 3000', () => {
    const late = Date.UTC(3000, 0, 1)
    assert.equal(readAccessToken(newAccessToken(7, late))?.issuedAt, late)
  })

  test('S15 are new each time, also in the same millisecond', () => {
    const tokens = new Set(Array.from({ length: 100_000 }, () => newAccessToken(5, NOW)))
    assert.equal(tokens.size, 100_000)
  })

  test('sort by time within a part', () => {
    const tokens = [NOW, NOW + 1, NOW + 1000, NOW + 86_400_000].map((at) => newAccessToken(3, at))
    assert.deepEqual(tokens.toSorted(), tokens)
  })

  // What one wrong character does to the checksum depends on its place and on the two characters alone, so this is all of them.
  test('any one wrong character shows, at every place and for every pair of characters', () => {
    const body = newAccessToken(9, NOW)
    for (let at = 4; at < body.length; at += 1)
      for (const right of ALPHABET) {
        const token = at < body.length - 6 ? withChecksum(replace(body, at, right)) : body
        for (const wrong of ALPHABET)
          if (wrong !== token[at]) assert.equal(readAccessToken(replace(token, at, wrong)), undefined)
      }
  })

  test('two neighbours swapped show', () => {
    for (let round = 0; round < 50; round += 1) {
      const token = newAccessToken(round, NOW)
      for (let at = 4; at < token.length - 1; at += 1) {
        if (token[at] === token[at + 1]) continue
        const swapped = `${token.slice(0, at)}${token[at + 1]}${token[at]}${token.slice(at + 2)}`
        assert.equal(readAccessToken(swapped), undefined)
      }
    }
  })

  test('anything else is none', () => {
    const token = newAccessToken(1, NOW)
    for (const text of [
      '',
      'trt_',
      token.toUpperCase(),
      ` ${token}`,
      `${token}\n`,
      `${token}0`,
      token.slice(0, -1),
      token.replace('trt_', 'trc_'),
      'x'.repeat(73),
      token.replace('t', 'ｔ'),
    ])
      assert.equal(readAccessToken(text), undefined, JSON.stringify(text))
  })
})

suite('tickets', () => {
  test('say their part, and only to whom asks for their kind', () => {
    for (const shard of [0, 77, SHARDS - 1]) {
      const code = newTicket('trc', shard)
      assert.equal(ticketShard('trc', code), shard)
      assert.equal(ticketShard('trf', code), undefined)
      assert.equal(ticketShard('trf', newTicket('trf', shard)), shard)
    }
  })

  test('anything else is none', () => {
    const code = newTicket('trc', 3)
    for (const text of [
      '',
      code.slice(1),
      `${code}0`,
      code.slice(0, -1),
      `${code}\n`,
      newAccessToken(3, NOW),
      code.replace('trc', 'trx'),
    ])
      assert.equal(ticketShard('trc', text), undefined, JSON.stringify(text))
  })
})

const replace = (text: string, at: number, char: string) => `${text.slice(0, at)}${char}${text.slice(at + 1)}`

/** The same body with the checksum that belongs to it: found by asking which of a token's parts the reader takes. */
function withChecksum(token: string): string {
  return token.slice(0, -6) + checksumOf(token.slice(0, -6))
}

function checksumOf(body: string): string {
  let crc = 0xffffffff
  for (const byte of Buffer.from(body)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = ((crc ^ 0xffffffff) >>> 0) >>> 2
  let text = ''
  for (let i = 0; i < 6; i += 1) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}
