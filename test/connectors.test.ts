import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { checkDefinition } from '#flows/conformance/check-definition.ts'
import { checkEndpoint } from '#flows/conformance/check-endpoint.ts'
import { checkGapsInRecords } from '#flows/conformance/gaps.ts'
import { readAnswer } from '#kit/auth/ask.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { checkAuthorizeUrl } from './connectors/check-authorize-url.ts'
import { type Fixture, fixtureFor } from './connectors/fixture.ts'
import { SAMPLES } from './connectors/samples.ts'

// The conformance suite: runs for every registered connector.

test('services, titles and aliases are unique', () => {
  const names = connectors.flatMap(({ service, aliases }) => [service, ...aliases])
  assert.deepEqual(names, [...new Set(names)])
  const titles = connectors.map(({ title }) => title)
  assert.deepEqual(titles, [...new Set(titles)])
})

for (const connector of connectors) {
  const { missing, open } = await fixtureFor(connector)
  const { service, auth } = connector

  suite(service, () => {
    test('is well defined', () =>
      checkDefinition(connector, { isFile: existsSync(join(import.meta.dirname, '..', connector.docs)) }))

    if (auth.kind === 'oauth2' && !auth.discover)
      test('has the right authorization URL', () =>
        checkAuthorizeUrl(fillConnector(connector, exampleAnswers(connector))))

    for (const [name, record] of SAMPLES[service] ?? [])
      test(`a record of ${name} with missing fields`, () => checkGapsInRecords(connector, name, 'owner', [record]))

    if (missing !== false) {
      test(`${service} is walked`, { skip: missing }, () => {})
      return
    }

    suite('walked', () => {
      let fixture: Fixture
      before(async () => {
        fixture = await open()
      })
      after(() => fixture?.close())

      test('identifies the person', () => {
        assert.match(fixture.self.id, /\S/)
        assert.ok(URL.canParse(fixture.authorizeUrl))
      })

      for (const [name, endpoint] of Object.entries(connector.endpoints))
        test(name, () => checkEndpoint(fixture, name, endpoint))
    })
  })
}

/** The examples on the page must be answers. */
function exampleAnswers({ ask = {} }: Connector): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ask).map(([name, field]) => {
      const answer = readAnswer(field, field.example)
      assert.ok(answer, `the example of ${name}`)
      return [name, answer]
    }),
  )
}
