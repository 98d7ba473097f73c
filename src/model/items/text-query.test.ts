import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseTextQuery } from './text-query.ts'

/** `+` wanted, `-` unwanted, `*` only begun. */
const shown = (text: string) =>
  parseTextQuery(text).map(
    ({ words, isBeginning, isUnwanted }) => `${isUnwanted ? '-' : '+'}${words.join(' ')}${isBeginning ? '*' : ''}`,
  )

suite('what somebody types', () => {
  for (const [text, terms] of [
    ['cat', ['+cat']],
    ['Cat  DOG', ['+cat', '+dog']],
    ['cat*', ['+cat*']],
    ['ca* dog', ['+ca*', '+dog']],
    ['"black cat" dog', ['+black cat', '+dog']],
    ['cat -dog', ['+cat', '-dog']],
    ['cat -"black dog" -do*', ['+cat', '-black dog', '-do*']],
    ['a@b.test', ['+a b test']],
    ['well-known', ['+well known']],
    ['北京', ['+北 京']],
    ['안녕 "안녕" -세계 서울*', ['+안녕*', '+안녕', '-세계*', '+서울*']],
    ['🎉 -👍🏽 "👍 ok"', ['+🎉', '-👍', '+👍 ok']],
    ['party🎉 👩\u200d💻', ['+party 🎉', '+👩 💻']],
    ['🎉*', ['+🎉*']],
    ['"open end', ['+open', '+end']],
    ['-dog', ['-dog']],
    ['C++ -#tag', ['+c++', '-#tag']],
    ['c++* #ma* :) <=', ['+c++*', '+#ma*', '+=:)', '+=<=']],
    ['@ada', ['+~ada']],
    ['* - "" !', []],
    ['', []],
  ] as const)
    test(JSON.stringify(text), () => assert.deepEqual(shown(text), terms))
})
