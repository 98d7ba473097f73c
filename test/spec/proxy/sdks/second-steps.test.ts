import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { github } from '#connectors/github/connector.ts'
import { until } from '../../../harness/until.ts'
import { packagesMissing } from '../../../real/packages.ts'
import { type ProxyHarness, startProxyHarness } from '../fixture.ts'
import { type RawUpstream, startRawUpstream } from '../raw-upstream.ts'
import { loadOctokit, type Octokit, type RequestError } from './octokit.ts'

const skip = await packagesMissing('sdks')
const HOUR_MS = 3_600_000
const PATH = /^\w+ (\S+)/
const ours = /tr[a-z]_[0-9A-Za-z]{8}/

// What happens while an SDK works: access ends, limits are reached, and the service answers what it never should.
suite('octokit, when something happens', { skip }, () => {
  let api: RawUpstream
  let stranger: RawUpstream
  let harness: ProxyHarness
  let sdk: Awaited<ReturnType<typeof loadOctokit>>
  let people = 0
  before(async () => {
    sdk = await loadOctokit()
    api = await startRawUpstream()
    stranger = await startRawUpstream()
    harness = await startProxyHarness({ connectors: [github], proxyPorts: ['github'] })
    // Clients get links with this address, as an operator configures it.
    harness.deps.config.baseUrl = harness.url
  })
  after(async () => {
    await harness.stop()
    await api.close()
    await stranger.close()
  })
  beforeEach(() => {
    for (const { requests } of [api, stranger]) requests.length = 0
    api.response = pages
  })

  /** Somebody who has connected GitHub, to this account if there is one. */
  const connect = (account?: string) => {
    people += 1
    const who = { service: 'github', apiUrl: api.url, nativeId: `${people}`, credential: { token: `gho_${people}` } }
    return harness.connect({ ...who, ...(account === undefined ? {} : { account }) })
  }
  const below = () => `${harness.url}/proxy/github`
  const atOrigin = () => `http://localhost:${harness.deps.config.proxyPorts['github']}`
  const ask = (method: string, path: string, token: string, form?: Record<string, string>) =>
    fetch(`${harness.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    })
  const answer = (socket: Socket, status: string, headers: string[], body: unknown) => {
    const text = JSON.stringify(body)
    const lines = [`HTTP/1.1 ${status}`, ...headers, 'Content-Type: application/json', `Content-Length: ${text.length}`]
    socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`)
  }
  /** Ten pages of one record, which says whose credential asked for it. */
  const pages = (socket: Socket, request: string) => {
    const page = Number(/[?&]page=(\d+)/.exec(request)?.[1] ?? 1)
    const [, whose] = /authorization: Bearer gho_(\d+)/i.exec(request) ?? []
    const link = page < 10 ? [`Link: <${api.url}/user/repos?page=${page + 1}>; rel="next"`] : []
    answer(socket, '200 OK', link, [{ id: page, name: whose }])
  }
  const pathsAt = ({ requests }: RawUpstream) => requests.map((request) => PATH.exec(request)?.[1])
  const refused = (call: Promise<unknown>) =>
    call.then(
      () => assert.fail('The call succeeded.'),
      (error: RequestError) => error,
    )
  /** Walks, and does something after the second page. Returns the owners of the records, and the error that ended the walk. */
  const walk = async (octokit: Octokit, meanwhile: () => Promise<unknown>) => {
    const seen: string[] = []
    try {
      for await (const { data } of octokit.paginate.iterator('GET /user/repos')) {
        seen.push(...data.map(({ name }) => name))
        if (seen.length === 2) await meanwhile()
      }
    } catch (error) {
      return { seen, error: error as RequestError }
    }
    return { seen, error: undefined }
  }
  const assertNothingLeft = () => {
    for (const { requests } of [api, stranger]) for (const request of requests) assert.doesNotMatch(request, ours)
  }

  for (const [how, end] of [
    ['the profile is disconnected', ({ token }) => ask('DELETE', '/profiles/github', token)],
    ['all profiles are', ({ token }) => ask('DELETE', '/profiles', token)],
    [
      'the account is merged into another, which ends its tokens',
      async ({ token }) => ask('POST', '/auth/merge', '', { source: token, dest: (await connect()).token }),
    ],
  ] satisfies [string, (who: { token: string }) => Promise<Response>][])
    test(`in the middle of a walk ${how}: the next page is refused, with the SDK’s own error`, async () => {
      const ada = await connect()
      const { seen, error } = await walk(sdk.octokitAt(below(), ada.token), async () => {
        const { status } = await end(ada)
        assert.ok(status < 300, `${status}`)
      })
      assert.equal(seen.length, 2)
      assert.ok(error instanceof sdk.RequestError, String(error))
      assert.ok([401, 404].includes(error.status), error.message)
      assert.deepEqual(
        pathsAt(api).filter((path) => path?.startsWith('/user/repos')),
        ['/user/repos', '/user/repos?page=2'],
      )
      assertNothingLeft()
    })

  test('the process is replaced by another in the middle of a walk, which goes on', async () => {
    for (const address of [below(), atOrigin()]) {
      const ada = await connect()
      const { seen, error } = await walk(sdk.octokitAt(address, ada.token), async () => {
        await harness.restart()
        // By the time it answers, the client knows which of its connections have ended.
        await until(
          'the new process answers',
          () => fetch(address).then(({ status }) => status, String),
          (answered) => answered === 401,
        )
      })
      assert.equal(error, undefined)
      assert.deepEqual([seen.length, ...new Set(seen)], [10, ada.profile.nativeId])
    }
    assertNothingLeft()
  })

  test('another account is merged into this one in the middle of a walk: by name of the profile it stays with the person', async () => {
    const ada = await connect()
    const ben = await connect()
    const mine = ada.profile.nativeId
    const merge = () => ask('POST', '/auth/merge', '', { source: ben.token, dest: ada.token })
    const { seen, error } = await walk(sdk.octokitAt(`${harness.url}/proxy/${mine}@github`, ada.token), merge)
    assert.equal(error, undefined)
    assert.deepEqual(
      seen,
      Array.from({ length: 10 }, () => mine),
    )
    assertNothingLeft()
  })

  test('two people walk at the same time, and each gets their own', async () => {
    const two = [await connect(), await connect()]
    const found = await Promise.all(
      two.map(({ token }, at) => sdk.octokitAt(at === 0 ? below() : atOrigin(), token).paginate('GET /user/repos')),
    )
    for (const [at, records] of found.entries())
      assert.deepEqual(new Set(records.map(({ name }) => name)), new Set([two[at]!.profile.nativeId]))
  })

  test('GitHub throttles: the SDK waits as it is told, as octokit comes, and goes on', async () => {
    const { token } = await connect()
    let refusals = 0
    api.response = (socket, request) => {
      if (!request.startsWith('GET /user/repos?page=2') || refusals > 0) return pages(socket, request)
      refusals += 1
      const message = 'You have exceeded a secondary rate limit.'
      answer(socket, '429 Too Many Requests', ['Retry-After: 1'], { message })
    }
    const found = await sdk.octokitAt(below(), token, {}).paginate('GET /user/repos')
    assert.deepEqual(
      found.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    assert.equal(refusals, 1)
  })

  for (const [where, addressOf] of [
    ['below /proxy', below],
    ['at the origin of the service', atOrigin],
  ] as const)
    suite(where, () => {
      let octokit: Octokit
      before(async () => {
        octokit = sdk.octokitAt(addressOf(), (await connect()).token)
      })

      test('the service redirects to another host: that one gets neither token', async () => {
        stranger.response = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nzip'
        for (const status of ['302 Found', '307 Temporary Redirect', '308 Permanent Redirect']) {
          stranger.requests.length = 0
          api.response = (socket) => answer(socket, status, [`Location: ${stranger.url}/a.zip?signature=1`], {})
          const { data } = await octokit.request('GET /repos/ada/notes/zipball')
          assert.equal(data, 'zip')
          assert.deepEqual(pathsAt(stranger), ['/a.zip?signature=1'])
          assert.doesNotMatch(stranger.requests[0]!, /^authorization:|gho_/im)
        }
        assertNothingLeft()
      })

      test('the service redirects a write to us: nothing of ours is called', async () => {
        for (const target of ['/profiles', '/auth/merge', '/proxy/github/user', ''])
          for (const base of [harness.url, below(), atOrigin()]) {
            api.requests.length = 0
            api.response = (socket, request) =>
              request.startsWith('DELETE /repos/ada/notes ')
                ? answer(socket, '307 Temporary Redirect', [`Location: ${base}${target}`], {})
                : answer(socket, '200 OK', [], {})
            await octokit.request('DELETE /repos/ada/notes').catch(() => undefined)
            assert.deepEqual(pathsAt(api), ['/repos/ada/notes'], `${base}${target}`)
          }
        api.response = pages
        assert.equal((await octokit.paginate('GET /user/repos')).length, 10)
      })

      test('the service links to other hosts, to loopback, to us or to nothing: the walk ends, and nobody else is called', async () => {
        for (const link of [
          `${stranger.url}/list?page=2`,
          stranger.url.replace('127.0.0.1', 'localhost'),
          `//${stranger.host}/list`,
          `http://user:password@${stranger.host}/list`,
          'http://127.0.0.1/list',
          'http://[::1]/list',
          'http://169.254.169.254/latest/meta-data',
          `${harness.url}/profiles`,
          `${below()}/user/repos?page=2`,
          `${atOrigin()}/user/repos?page=2`,
          'javascript:alert(1)',
          'file:///etc/passwd',
          'http://',
        ]) {
          api.requests.length = 0
          api.response = (socket) => answer(socket, '200 OK', [`Link: <${link}>; rel="next"`], [{ id: 1 }])
          assert.equal((await octokit.paginate('GET /user/repos')).length, 1, link)
          assert.deepEqual(pathsAt(api), ['/user/repos'], link)
        }
        assert.deepEqual(stranger.requests, [])
      })

      test('the service links to what octokit alone finds: nobody else is called', async () => {
        const evil = `<${stranger.url}/list>; rel="next"`
        for (const link of [
          `<${api.url}/a>; title=${evil}`,
          `<${api.url}/a>; rel="author"; title='${evil}'`,
          `${evil.replace('"next"', '"author"')}; title='${evil}'`,
        ]) {
          api.response = (socket) => answer(socket, '200 OK', [`Link: ${link}`], [{ id: 1 }])
          assert.equal((await octokit.paginate('GET /user/repos')).length, 1, link)
        }
        assert.deepEqual(stranger.requests, [])
      })

      test('the service sends 10,000 links: an error, or the page without them, and the next call works', async () => {
        const { token } = await connect()
        const other = sdk.octokitAt(addressOf(), token)
        for (const link of [
          `<${stranger.url}/list>; rel="next"`,
          `<${api.url}/user>; rel="prev"`,
          '<',
          '<>;rel=next',
        ]) {
          const many = Array.from({ length: 10_000 }, () => link).join(', ')
          api.response = (socket) => answer(socket, '200 OK', [`Link: ${many}`], [{ id: 1 }])
          const outcome = await other.paginate('GET /user/repos').catch((error: unknown) => error)
          if (Array.isArray(outcome)) assert.equal(outcome.length, 1)
          else assert.equal((await refused(Promise.reject(outcome))).status, 502)
          api.response = pages
          assert.equal((await other.paginate('GET /user/repos')).length, 10)
        }
        assert.deepEqual(stranger.requests, [])
        assertNothingLeft()
      })

      test('the service says that limits end in an hour, although it is not so: calls wait, and say how long', async () => {
        const { token } = await connect()
        const limited = sdk.octokitAt(addressOf(), token)
        const reset = Math.ceil((Date.now() + HOUR_MS) / 1000)
        const headers = ['X-RateLimit-Remaining: 0', `X-RateLimit-Reset: ${reset}`]
        api.response = (socket) => answer(socket, '403 Forbidden', headers, { message: 'API rate limit exceeded' })
        assert.equal((await refused(limited.request('GET /user'))).status, 403)
        const { status, response } = await refused(limited.request('GET /user'))
        assert.equal(status, 429)
        assert.ok(Number(response.headers['retry-after']) > 3000)
      })
    })
})
