import fc from 'fast-check'
import type { Mode } from './recorder.ts'
import type { Variant } from './walk.ts'

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
  from: number,
  to: number,
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
const returns = (index: number, code: 'honest' | 'junk'): Step => ({
  do: 'back',
  from: index,
  to: index,
  code,
  says: own,
  browser: 'own',
  post: false,
})

/** A sign-in in each world that goes well, so that every connector has tokens that could leak. */
export const usual: Step[] = [
  { do: 'start', by: 'H', named: 'HONEST', browser: 0 },
  { do: 'start', by: 'D', named: 'HOSTILE', browser: 1 },
  returns(0, 'honest'),
  returns(1, 'junk'),
]
