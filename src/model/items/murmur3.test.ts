import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { murmur3Hex } from './murmur3.ts'

test('gives the check values', () => {
  assert.equal(murmur3Hex(''), '0'.repeat(32))
  assert.equal(murmur3Hex('test:user@testees/testing#1'), 'd55d940d8c774d19e3bb6b972f7a0d95')
  assert.equal(murmur3Hex('test:user@testees/testing'), '0d52acb76ea27ddc12eebf21cb4da292')
})

test('every tail length from 0 to 48 bytes agrees with the arithmetic written out in big integers', () => {
  for (let length = 0; length <= 48; length++) {
    const text = Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 7 + length) % 90))).join('')
    assert.equal(murmur3Hex(text), slowMurmur3(text), `length ${length}`)
  }
})

test('hashes UTF-8 bytes, whatever the script and length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      assert.equal(murmur3Hex(text), slowMurmur3(text))
    }),
  )
  const long = 'žluťoučký '.repeat(5000)
  assert.equal(murmur3Hex(long), slowMurmur3(long))
})

function slowMurmur3(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const mask = 0xffffffffn
  const rotate = (value: bigint, by: bigint) => ((value << by) | (value >> (32n - by))) & mask
  const constants = [0x239b961bn, 0xab0e9789n, 0x38b34ae5n, 0xa1e38b93n]
  const wordTurns = [15n, 16n, 17n, 18n]
  const stateTurns = [19n, 17n, 15n, 13n]
  const additions = [0x561ccd1bn, 0x0bcaa747n, 0x96cd1c35n, 0x32ac3b17n]
  const state = [0n, 0n, 0n, 0n]
  const laneOf = (block: Uint8Array, lane: number) =>
    block.slice(lane * 4, lane * 4 + 4).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const scrambled = (value: bigint, lane: number) =>
    (rotate((value * constants[lane]!) & mask, wordTurns[lane]!) * constants[(lane + 1) % 4]!) & mask
  const wholeBlocks = Math.floor(bytes.length / 16)
  for (let block = 0; block < wholeBlocks; block++) {
    const slice = bytes.slice(block * 16, block * 16 + 16)
    for (let lane = 0; lane < 4; lane++) {
      const mixed = state[lane]! ^ scrambled(laneOf(slice, lane), lane)
      state[lane] = ((rotate(mixed, stateTurns[lane]!) + state[(lane + 1) % 4]!) * 5n + additions[lane]!) & mask
    }
  }
  const tail = bytes.slice(wholeBlocks * 16)
  for (let lane = 3; lane >= 0; lane--) state[lane]! ^= scrambled(laneOf(tail, lane), lane)
  const spread = () => {
    state[0] = state.reduce((sum, word) => sum + word, 0n) & mask
    for (let lane = 1; lane < 4; lane++) state[lane] = (state[lane]! + state[0]) & mask
  }
  for (let lane = 0; lane < 4; lane++) state[lane]! ^= BigInt(bytes.length)
  spread()
  for (let lane = 0; lane < 4; lane++) {
    let word = state[lane]!
    word = ((word ^ (word >> 16n)) * 0x85ebca6bn) & mask
    word = ((word ^ (word >> 13n)) * 0xc2b2ae35n) & mask
    state[lane] = word ^ (word >> 16n)
  }
  spread()
  return state.map((word) => word.toString(16).padStart(8, '0')).join('')
}
