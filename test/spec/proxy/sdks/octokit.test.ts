import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { packagesMissing } from '../../../real/packages.ts'
import { type SdkHarness, startSdkHarness } from './fixture.ts'
import { loadOctokit, type Octokit, type RequestError } from './octokit.ts'

const skip = await packagesMissing('sdks')
const WRITES = 'repo notifications'

suite('octokit', { skip }, () => {
  let harness: SdkHarness<'github'>
  let sdk: Awaited<ReturnType<typeof loadOctokit>>
  let token: string
  let own: string
  before(async () => {
    harness = await startSdkHarness(['github'])
    sdk = await loadOctokit()
    ;({ token, own } = await harness.signIn('github', { scope: WRITES }))
  })
  after(() => harness.stop())

  const refused = (call: Promise<unknown>) =>
    call.then(
      () => assert.fail('The call succeeded.'),
      (error: RequestError) => {
        assert.ok(error instanceof sdk.RequestError, String(error))
        return error
      },
    )

  for (const [where, addressOf] of [
    ['below /proxy', () => harness.addressOf('github')],
    ['at the origin of the service', () => harness.originOf('github')],
  ] as const)
    suite(where, () => {
      let octokit: Octokit
      let direct: Octokit
      before(async () => {
        octokit = sdk.octokitAt(addressOf(), token)
        await octokit.request('GET /user')
        direct = sdk.octokitAt(harness.lab.services.github.url, harness.credentialAt('github'))
      })
      after(() => harness.assertNothingLeft())

      test('lists every page to the end, as at GitHub', async () => {
        for (const route of ['GET /user/starred', 'GET /users/ada/events', 'GET /issues']) {
          const parameters = { per_page: 3, filter: 'all', state: 'all' }
          const found = await octokit.paginate(route, parameters)
          assert.ok(found.length > 6, `${route}: ${found.length}`)
          const ids = (list: { id: unknown }[]) => list.map(({ id }) => id)
          assert.deepEqual(ids(found), ids(await direct.paginate(route, parameters)))
        }
      })

      test('walks pages one by one', async () => {
        const sizes: number[] = []
        for await (const { data } of octokit.paginate.iterator('GET /user/starred', { per_page: 7 }))
          sizes.push(data.length)
        assert.deepEqual(sizes, [7, 7, 6])
      })

      test('reads one record', async () => {
        const [first] = await octokit.paginate('GET /user/repos', { per_page: 2 })
        const [owner, repo] = first!.full_name.split('/')
        const { status, data } = await octokit.rest.repos.get({ owner, repo })
        assert.equal(status, 200)
        // A call without a version gets the one that the connector names.
        const headers = { 'x-github-api-version': '2026-03-10' }
        assert.deepEqual(data, (await direct.rest.repos.get({ owner, repo, headers })).data)
      })

      test('asks whether something changed: 304', async () => {
        const { headers } = await octokit.request('GET /user')
        const again = octokit.request('GET /user', { headers: { 'if-none-match': headers['etag'] } })
        const { status, response } = await refused(again)
        assert.deepEqual([status, response.headers['etag']], [304, headers['etag']])
      })

      test('meets what is not there: its error has status, message and address of the documentation', async () => {
        const missing = (by: Octokit) => refused(by.rest.repos.get({ owner: 'ada', repo: 'no-such-repository' }))
        const { status, message, response } = await missing(octokit)
        assert.equal(status, 404)
        assert.equal(message, (await missing(direct)).message)
        assert.deepEqual(response.data, (await missing(direct)).response.data)
      })

      test('writes an issue and a comment, which come back by the next sync', async () => {
        const [repository] = await octokit.paginate('GET /user/repos', { per_page: 2 })
        const [owner, repo] = repository!.full_name.split('/')
        const title = `Written ${where} – “ä”`
        const { status, data, headers } = await octokit.rest.issues.create({
          owner,
          repo,
          title,
          body: 'x'.repeat(5000),
        })
        assert.equal(status, 201)
        assert.ok(headers['location']!.startsWith(addressOf()), headers['location'])
        const read = await octokit.request(`GET ${headers['location']!}`)
        assert.equal(read.data['title'], title)
        const said = await octokit.rest.issues.createComment({ owner, repo, issue_number: data.number, body: 'Yes' })
        assert.equal(said.status, 201)
        const item = await harness.readBack(
          'github',
          'issues',
          own,
          (issue) => issue['comments'] === 1 && issue['title'] === title,
        )
        assert.equal(item.data['id'], data.id)
      })
    })

  test('meets a limit of GitHub, and then that of Tributary, which has learned it', async () => {
    const other = await harness.signIn('github', { person: 'ben' })
    const limited = sdk.octokitAt(harness.originOf('github'), other.token)
    harness.lab.services.github.faults.add({
      path: '/users/ada/followers',
      kind: 'status',
      status: 429,
      retryAfterSeconds: 3600,
      body: '{"message":"You have exceeded a secondary rate limit."}',
    })
    const first = await refused(limited.request('GET /users/ada/followers'))
    assert.deepEqual([first.status, first.response.headers['retry-after']], [429, '3600'])
    assert.match(first.message, /secondary rate limit/)
    const next = await refused(limited.request('GET /users/ada/followers'))
    assert.deepEqual([next.status, next.response.data['reason']], [429, 'service_limited'])
    assert.ok(Number(next.response.headers['retry-after']) > 3500)
  })
})
