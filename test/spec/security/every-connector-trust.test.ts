import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import type { Auth } from '#kit/auth/auth.ts'
import { freePort } from '../../harness/free-port.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { type OpenUpstream, openUpstream } from '../../harness/upstream.ts'
import { everyConnector, movedTo } from '../sign-in/trust/moved-connectors.ts'
import { type Recorder, startRecorder } from '../sign-in/trust/recorder.ts'
import { attacked, attacks, step, usual, variant } from '../sign-in/trust/steps.ts'
import { newWalk, type Violation, type Walk } from '../sign-in/trust/walk.ts'

const SEED = Number(process.env['TEST_SEED'] ?? 24)
const WALKS = Number(process.env['TEST_WALKS'] ?? 2)
const STEPS = 10

/** Kinds of sign-in that no server takes part in. */
const NO_COUNTERPART: Partial<Record<Auth['kind'], string>> = { file: 'people upload files, and nothing is called' }

let tributary: Tributary
let upstream: OpenUpstream
let folder: string
const recorders: Recorder[] = []
const violations: Violation[] = []
const unused: string[] = []

before(async () => {
  process.env['TEST_TYPED_URL'] = 'https://typed.test'
  const module = pathToFileURL(join(import.meta.dirname, '../sign-in/trust', 'moved-connectors.ts')).href
  folder = mkdtempSync(join(tmpdir(), 'tributary-trust-'))
  const connectors = await everyConnector()
  const honest = new Map<string, Recorder>()
  for (const each of connectors) {
    const recorder = await startRecorder('HONEST', each)
    recorder.connector = movedTo(each, recorder.url)
    honest.set(each.service, recorder)
    const text = `import { everyConnector, movedTo } from '${module}'
const all = await everyConnector()
export default movedTo(all.find(({ service }) => service === '${each.service}'), '${recorder.url}')
`
    writeFileSync(join(folder, `${each.service}.mjs`), text)
  }
  recorders.push(...honest.values())
  process.env['TEST_PLC_URL'] = honest.get('bluesky')!.url
  upstream = openUpstream()
  // Clients of Bluesky that are not public have to be at this name.
  const port = String(await freePort())
  tributary = await startTributary({
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    TRIBUTARY_ALLOW_PRIVATE_TYPED: LOOPBACK,
    TRIBUTARY_CONNECTORS: folder,
    TRIBUTARY_QUOTA_ADDRESS_SIGN_INS: '100000',
  })
  process.stdout.write(`# seed ${SEED}: ${WALKS} walks at each of ${connectors.length} connectors\n`)
  for (const each of honest.values()) await walkAt(each)
  await tributary.idle('syncs')
  for (const walk of walks) walk.check('the syncs')
})
after(async () => {
  await tributary?.stop()
  await upstream?.close()
  for (const recorder of recorders) await recorder.close()
  rmSync(folder, { recursive: true, force: true })
})

const walks: Walk[] = []

async function walkAt(honest: Recorder): Promise<void> {
  const { connector } = honest
  if (NO_COUNTERPART[connector.auth.kind] !== undefined) return
  // Another connector among them does not change the walks of the others.
  const seed = createHash('sha256').update(`${SEED} ${connector.service}`).digest().readInt32BE()
  const plans = fc.sample(fc.tuple(variant, fc.array(step, { minLength: STEPS, maxLength: STEPS })), {
    numRuns: WALKS,
    seed,
  })
  const started: Walk[] = []
  for (const [chosen, steps] of [[attacked, attacks] as const, ...plans]) {
    const hostile = await startRecorder('HOSTILE', connector)
    recorders.push(hostile)
    honest.mode = { kind: 'plain' }
    const walk = await newWalk(
      { tributary, upstream: upstream.upstream, connector, honest, hostile, violations },
      chosen,
    )
    for (const each of [...usual, ...steps]) await walk.run(each)
    walk.checkOnce()
    started.push(walk)
    walks.push(walk)
  }
  for (const world of ['HONEST', 'HOSTILE'] as const) {
    const isIn = (of: 'begun' | 'signedIn') => started.some(({ counts }) => counts[of][world] > 0)
    if (!isIn('begun'))
      unused.push(`${connector.service}: no sign-in was begun in the ${world} world: ${started[0]!.why()}`)
    else if (!isIn('signedIn'))
      unused.push(`${connector.service}: nobody signed in in the ${world} world: ${started[0]!.why()}`)
  }
}

suite('no counterpart of any connector receives a secret of another', () => {
  const found = (check: Violation['check']) => violations.filter((each) => each.check === check).map(({ text }) => text)

  test('S63 every connector was used in both worlds, unless its kind has no counterpart', () => {
    assert.deepEqual(unused, [])
  })
  test('S63 no server receives a code of another, at whatever callback and however often it is presented', () => {
    assert.deepEqual(found('S63'), [])
  })
  test('S65 no server receives a password that was made or typed for another', () => {
    assert.deepEqual(found('S65'), [])
  })
  test('S67 no server receives a token or a secret of an app that is for another', () => {
    assert.deepEqual(found('S67'), [])
  })
})
