import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeApi } from '#http/describe/openapi.ts'
import { ROUTES } from '#http/routes.ts'
import { loadLinterPackage } from '../../real/linter/load.ts'
import { packagesMissing } from '../../real/packages.ts'

interface Problem {
  ruleId: string
  severity: 'error' | 'warn'
  message: string
  location: { pointer?: string }[]
}

interface Linter {
  createConfig: (config: object) => Promise<unknown>
  lintFromString: (options: { source: string; config: unknown }) => Promise<Problem[]>
}

const skip = await packagesMissing('linter')

async function lint(document: object): Promise<Problem[]> {
  const { createConfig, lintFromString } = await loadLinterPackage<Linter>('@redocly/openapi-core')
  const config = await createConfig({ extends: ['recommended'] })
  return lintFromString({ source: JSON.stringify(document), config })
}

/** Rules of the recommended set that only warn, and why the document does not follow them. */
const EXPECTED_WARNINGS: Record<string, string> = {
  'no-ambiguous-paths': 'The specification has both /services/self/{endpoint} and /services/{service}/{endpoint}.',
  'no-unused-components': 'Every reason has an example; some are refusals before an operation is found.',
  'no-server-example.com': 'The address of the server is that of the installation.',
  'operation-2xx-response': 'Routes for browsers respond with a redirect.',
  'operation-4xx-response': 'A page has no refusal of its own.',
  'info-license-strict': 'The license is named by its SPDX identifier.',
}

test('an independent linter finds no error in the OpenAPI document', { skip }, async () => {
  const problems = await lint(describeApi(ROUTES, '0.1.0', 'https://tributary.test'))
  const described = problems.map(
    ({ ruleId, severity, message, location }) => `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
  )
  assert.deepEqual(
    described.filter((text) => text.startsWith('error')),
    [],
  )
  assert.deepEqual(
    described.filter((_, i) => EXPECTED_WARNINGS[problems[i]!.ruleId] === undefined),
    [],
  )
})

test('the linter would find an error', { skip }, async () => {
  const document = describeApi(ROUTES, '0.1.0', 'https://tributary.test') as { paths: Record<string, object> }
  const broken = { ...document, paths: { ...document.paths, '/broken/{id}': { get: { responses: {} } } } }
  const problems = await lint(broken)
  assert.ok(problems.some(({ severity }) => severity === 'error'))
})
