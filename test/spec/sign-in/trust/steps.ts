import fc from 'fast-check'
import type { Variant } from './keys.ts'
import type { Mode } from './recorder.ts'
import type { World } from './secrets.ts'

const world = fc.constantFrom('HONEST' as const, 'HOSTILE' as const)
const number = fc.nat(30)

const plain: Mode = { kind: 'plain' }
const mode: fc.Arbitrary<Mode> = fc.oneof(
  fc.constant(plain),
  fc.record({
    kind: fc.constant('redirect' as const),
    status: fc.constantFrom(301 as const, 302 as const, 303 as const, 307 as const, 308 as const),
    only: fc.constantFrom('reads' as const, 'writes' as const, 'all' as const),
  }),
  fc.record({
    kind: fc.constant('odd' as const),
    which: fc.constantFrom('huge' as const, 'text' as const, 'empty' as const, 'error' as const, 'refused' as const),
  }),
  fc.constant({ kind: 'foreign' as const }),
)

/** What a server that sends the browser back chooses by itself. */
const says = fc.record({
  address: fc.oneof(fc.constantFrom('own' as const, 'shared' as const, 'service' as const, 'random' as const), number),
  iss: fc.constantFrom('none' as const, 'own' as const, 'other' as const),
  repeated: fc.nat(9).map((n) => n === 0),
  error: fc.nat(9).map((n) => n === 0),
})

const start = fc.record({
  do: fc.constant('start' as const),
  by: fc.constantFrom('H' as const, 'D' as const),
  named: world,
  browser: fc.constantFrom(0 as const, 1 as const),
})
const back = fc.record({
  do: fc.constant('back' as const),
  from: fc.oneof(number, world),
  to: fc.oneof(number, world),
  code: fc.constantFrom('honest' as const, 'junk' as const),
  says,
  browser: fc.constantFrom('own' as const, 'own' as const, 'victim' as const, 'attacker' as const),
  post: fc.nat(5).map((n) => n === 0),
})
const use = fc.record({
  do: fc.constant('use' as const),
  session: number,
  how: fc.constantFrom('read' as const, 'read' as const, 'write' as const, 'disconnect' as const),
  path: number,
})
const answer = fc.record({ do: fc.constant('answer' as const), world, mode })

export const step = fc.oneof(
  { weight: 5, arbitrary: start },
  { weight: 6, arbitrary: back },
  { weight: 4, arbitrary: use },
  { weight: 3, arbitrary: answer },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rekey' as const),
      to: fc.constantFrom('addresses' as const, 'key' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'copy' as const }) },
)
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

export const variant: fc.Arbitrary<Variant> = fc.record({
  honestOverrides: fc.boolean(),
  hostileOverrides: fc.constantFrom('base' as const, 'each' as const, 'token' as const, 'api' as const),
  stolenKey: fc.boolean(),
})

const own = { address: 'own', iss: 'own', repeated: false, error: false } as const

/** The server of one sign-in sends the browser back with the state of another. */
function returns(from: World, to: World, code: 'honest' | 'junk'): Step {
  return { do: 'back', from, to, code, says: own, browser: 'own', post: false }
}
const begins = (by: 'H' | 'D', named: World): Step => ({ do: 'start', by, named, browser: 0 })
const answers = (of: World, how: Mode): Step => ({ do: 'answer', world: of, mode: how })
const calls = (session: number, how: 'read' | 'write' | 'disconnect'): Step => ({ do: 'use', session, how, path: 0 })

/** A sign-in in each world that goes well, so that every connector has tokens that could leak. */
export const usual: Step[] = [
  begins('H', 'HONEST'),
  begins('D', 'HOSTILE'),
  returns('HONEST', 'HONEST', 'honest'),
  returns('HOSTILE', 'HOSTILE', 'junk'),
]

/** The attacks that are known, at every connector; random ones follow. */
export const attacks: Step[] = [
  // RFC 9700 4.4: the honest server sends its code with the state of a sign-in at the hostile one.
  begins('D', 'HOSTILE'),
  returns('HONEST', 'HOSTILE', 'honest'),
  begins('H', 'HOSTILE'),
  returns('HONEST', 'HOSTILE', 'honest'),
  begins('H', 'HOSTILE'),
  returns('HOSTILE', 'HOSTILE', 'honest'),
  { do: 'rekey', to: 'addresses' },
  { do: 'rekey', to: 'key' },
  // Both redirect what they are asked, and the hostile one speaks of the other.
  answers('HONEST', { kind: 'redirect', status: 302, only: 'reads' }),
  calls(0, 'read'),
  begins('H', 'HONEST'),
  answers('HONEST', plain),
  begins('D', 'HOSTILE'),
  answers('HOSTILE', { kind: 'redirect', status: 307, only: 'all' }),
  returns('HOSTILE', 'HOSTILE', 'junk'),
  calls(1, 'read'),
  begins('D', 'HOSTILE'),
  answers('HOSTILE', { kind: 'foreign' }),
  begins('D', 'HOSTILE'),
  returns('HOSTILE', 'HOSTILE', 'junk'),
  calls(1, 'write'),
  answers('HOSTILE', plain),
  calls(1, 'disconnect'),
  calls(0, 'disconnect'),
]

/** The key of H is used at the addresses that everybody uses, and that of D has the same client id. */
export const attacked: Variant = { honestOverrides: false, hostileOverrides: 'each', stolenKey: true }
