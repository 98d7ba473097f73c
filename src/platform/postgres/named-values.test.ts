import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { statement } from './database.ts'
import { compileNames, type NamesIn } from './named-values.ts'

const COMPILED: [what: string, text: string, compiled: string, names: string[]][] = [
  ['numbers follow the first use', 'select $b, $a, $b', 'select $1, $2, $1', ['b', 'a']],
  ['casts stay', 'select $data::json, $n::bigint[]', 'select $1::json, $2::bigint[]', ['data', 'n']],
  ['a name may begin another', 'select $id, $idOf, $id_2, $id', 'select $1, $2, $3, $1', ['id', 'idOf', 'id_2']],
  ['strings stay', `select '$a', 'it''s $a', $a`, `select '$a', 'it''s $a', $1`, ['a']],
  ['quoted names stay', 'select "$a", $a', 'select "$a", $1', ['a']],
  ['dollar-quoted strings stay', 'select $$ $a $$, $b', 'select $$ $a $$, $1', ['b']],
  ['tagged strings stay', `do $body$ $a '$$' $body$, $b`, `do $body$ $a '$$' $body$, $1`, ['b']],
  ['numbers stay', 'select $1, $2', 'select $1, $2', []],
  ['a text without any stays', 'select 1', 'select 1', []],
]

suite('named values', () => {
  for (const [what, text, compiled, names] of COMPILED)
    test(what, () => assert.deepEqual(compileNames(text), { text: compiled, names }))

  test('are not mixed with numbers', () =>
    assert.throws(() => compileNames('select $1, $a'), /either all named or all numbered/))

  const columns = 'id, name'
  const find = statement(
    'test-named',
    `select ${columns} from t where shard = $shard and id > ${1 + 1} and id = $id::text`,
  )

  test('come in the order of their numbers, whatever else is given', () => {
    const key = { id: 'x', other: 1, shard: 3 }
    const { text, values } = find.with(key)
    assert.equal(text, 'select id, name from t where shard = $1 and id > 2 and id = $2::text')
    assert.deepEqual(values, [3, 'x'])
    assert.deepEqual(find.with({ shard: 0, id: null }).values, [0, null])
  })

  test('that are missing are refused', () => {
    const incomplete = { shard: 3 } as { shard: number; id: string }
    assert.throws(() => find.with(incomplete), { message: 'Statement test-named has no value for $id.' })
  })

  test('have names that the compiler knows', () => {
    // Each of these is an error of types where it is not true.
    const same: [
      Equal<NamesIn<'select $b::json, $a, $b'>, 'a' | 'b'>,
      Equal<NamesIn<'select $id, $idOf, $id_2'>, 'id' | 'idOf' | 'id_2'>,
      Equal<NamesIn<'select $1, $2'>, never>,
      Equal<NamesIn<string>, never>,
      Equal<NamesIn<`limit ${number} where a = $a`>, 'a'>,
      Equal<keyof Parameters<typeof find.with>[0], 'shard' | 'id'>,
      Equal<'with' extends keyof typeof numbered ? true : false, false>,
    ] = [true, true, true, true, true, true, true]
    assert.ok(same.every(Boolean))
  })
})

const numbered = statement('test-numbered', 'select $1::int')

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
