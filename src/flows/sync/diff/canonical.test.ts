import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { structureFault } from './canonical.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const list = (values: number) => JSON.stringify(Array.from({ length: values }, () => 0))

suite('the structure of a record', () => {
  const GOOD: [name: string, text: string][] = [
    ['64 levels', nested(64)],
    ['many arrays side by side', JSON.stringify(Array.from({ length: 1000 }, () => [{}]))],
    ['brackets in a text', JSON.stringify({ text: '[{'.repeat(1000) })],
    ['50,000 values', list(50_000)],
    ['a long text with commas', JSON.stringify({ text: ',['.repeat(100_000) })],
  ]
  for (const [name, text] of GOOD) test(`good: ${name}`, () => assert.equal(structureFault(text), undefined))

  const BAD: [name: string, text: string, fault: string][] = [
    ['65 levels of arrays', nested(65), 'nested deeper than 64'],
    ['65 levels of both', `${'{"a":['.repeat(33)}${']}'.repeat(33)}`, 'nested deeper than 64'],
    ['50,001 values', list(50_001), 'more than 50000 values'],
  ]
  for (const [name, text, fault] of BAD) test(`bad: ${name}`, () => assert.equal(structureFault(text), fault))
})
