import { after, before, suite, test } from 'node:test'
import { createBrowser } from '../../../lab/browser.ts'
import { codeOf, REDIRECT, redeemed, signIn } from '../../harness/sign-in.ts'
import { comparer, type WholeCost } from './compare.ts'
import { type CostHarness, startCostHarness } from './fixture.ts'
import { SIGN_INS } from './table.ts'

const { assertCost, assertAll } = comparer(SIGN_INS)

let harness: CostHarness
before(async () => {
  harness = await startCostHarness()
  await signIn(harness, 'demo-social', 'ada')
})
after(() => harness.stop())

/** A person who signs in at the demo service, step by step. */
function signingIn(person: string) {
  const callback = harness.app.keys['demo-social']!.callback
  let stops = [callback, REDIRECT]
  const browser = createBrowser({ stopAt: (url) => stops.some((stop) => url.startsWith(stop)) })
  let [atService, back, code] = ['', '', '']
  return {
    start: async () => {
      atService = (await browser.open(harness.startUrl('demo-social'))).url
    },
    /** What happens at the service. */
    consent: async () => {
      back = (await browser.walk(atService, { person })).url
      stops = [REDIRECT]
    },
    callback: async () => {
      code = codeOf(new URL((await browser.open(back)).url))
    },
    exchange: () => redeemed(harness, code),
  }
}

for (const who of ['new', 'known'])
  suite(`a sign-in of a ${who} person`, () => {
    let [start, callback, exchange]: WholeCost[] = []
    before(async () => {
      const steps = signingIn('ben')
      start = await harness.measure(steps.start)
      await steps.consent()
      callback = await harness.measure(steps.callback)
      exchange = await harness.measure(steps.exchange)
    })
    // It does not know yet who comes.
    test('start', () => assertCost('sign-in: start', start!))
    test('callback', () => assertCost(`sign-in: callback, ${who} person`, callback!))
    test('exchange', () => assertCost(`sign-in: exchange, ${who} person`, exchange!))
  })

test('every row of the table was counted', assertAll)
