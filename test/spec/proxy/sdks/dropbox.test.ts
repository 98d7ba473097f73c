import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { packagesMissing } from '../../../real/packages.ts'
import { loadSdk } from '../../../real/sdks/load.ts'
import { type SdkHarness, startSdkHarness } from './fixture.ts'

interface Reply<Result> {
  status: number
  headers: Headers
  result: Result
}
type Method<Result> = (parameters: object, options?: object) => Promise<Reply<Result>>
interface File {
  id: string
  name: string
  path_lower: string
  content_hash: string
  size: number
}
interface Listing {
  entries: File[]
  cursor: string
  has_more: boolean
}

/** The parts of the vendor's client that the test uses. */
interface Dropbox {
  filesListFolder: Method<Listing>
  filesListFolderContinue: Method<Listing>
  filesGetMetadata: Method<File>
  filesUpload: Method<File>
  filesDownload: Method<File & { fileBinary: Buffer }>
  filesCreateFolderV2: Method<{ metadata: File }>
  filesDeleteV2: Method<unknown>
}
interface Package {
  Dropbox: new (options: object) => Dropbox
  DropboxResponseError: new () => Error
  bytesUpload(content: Buffer): object
  uploadFile(client: Dropbox, source: object, commit: object, options: object): Promise<{ metadata: File }>
}

const SCOPE = 'account_info.read files.metadata.read files.content.read files.content.write'
/** Cyrillic and Japanese names travel in a header. */
const FOLDER = '/Папка 日本'

suite('dropbox', { skip: await packagesMissing('sdks') }, () => {
  let harness: SdkHarness<'dropbox'>
  let vendors: Package
  let token: string
  let own: string
  before(async () => {
    harness = await startSdkHarness(['dropbox'])
    vendors = await loadSdk<Package>('dropbox')
    ;({ token, own } = await harness.signIn('dropbox', { scope: SCOPE }))
  })
  after(() => harness.stop())

  const clientAt = (base: (url: string) => string, accessToken = token, more = {}) =>
    new vendors.Dropbox({
      accessToken,
      ...more,
      fetch: (url: string, init: RequestInit) => fetch(base(url), init),
    })
  /** The SDK knows a host instead of the vendor's; it always writes https, which the server of a test has not. */
  const atHost = (url: string, accessToken = token) =>
    clientAt((full) => full.replace(/^https:/, 'http:'), accessToken, {
      domain: new URL(url).host,
      domainDelimiter: '',
    })
  const direct = () => atHost(harness.lab.services.dropbox.url, harness.credentialAt('dropbox'))
  const addresses: Record<string, (accessToken?: string) => Dropbox> = {
    'the origin of the service': (accessToken) => atHost(harness.originOf('dropbox'), accessToken),
    // The content host is called by its whole address.
    '/proxy': (accessToken) =>
      clientAt((url) => {
        const [path, host] = [new URL(url).pathname, new URL(url).origin]
        const base = harness.addressOf('dropbox')
        return host === 'https://api.dropboxapi.com' ? base + path.replace('/2', '') : `${base}/${url}`
      }, accessToken),
  }
  const everything = async (client: Dropbox): Promise<{ files: File[]; pages: number }> => {
    let { result } = await client.filesListFolder({ path: '', recursive: true, limit: 4 })
    const files = [...result.entries]
    let pages = 1
    for (; result.has_more; pages += 1) {
      ;({ result } = await client.filesListFolderContinue({ cursor: result.cursor }))
      files.push(...result.entries)
    }
    return { files, pages }
  }

  for (const [where, client] of Object.entries(addresses))
    suite(`at ${where}`, () => {
      const folder = `${FOLDER} ${where.replaceAll('/', '')}`

      test('reads every page, as the service has them', async () => {
        const found = await everything(client())
        assert.ok(found.pages > 2)
        assert.deepEqual(found, await everything(direct()))
        harness.assertNothingLeft()
      })

      test('uploads and downloads a file, and the next sync has it', async () => {
        const dropbox = client()
        const { metadata } = (await dropbox.filesCreateFolderV2({ path: folder })).result
        const contents = Buffer.from('with bytes \u0000 \u00ff 日')
        const { result: made } = await dropbox.filesUpload({ path: `${folder}/Датотека.bin`, contents })
        assert.deepEqual([made.name, made.size], ['Датотека.bin', contents.length])
        assert.deepEqual((await dropbox.filesGetMetadata({ path: made.id })).result.content_hash, made.content_hash)
        const read = await dropbox.filesDownload({ path: made.id })
        assert.deepEqual([read.result.fileBinary, read.result.name], [contents, made.name])
        const stored = await harness.readBack('dropbox', 'files', own, (data) => data['id'] === made.id)
        assert.equal(stored?.data['path_lower'], made.path_lower)
        await dropbox.filesDeleteV2({ path: made.id })
        assert.equal(metadata.path_lower, folder.toLowerCase())
        harness.assertNothingLeft()
      })

      test('uploads a large file in parts with its own uploader', async () => {
        const dropbox = client()
        const contents = Buffer.alloc(2_500_000, 'part')
        const commit = { path: `${folder}/large` }
        const source = vendors.bytesUpload(contents)
        const { metadata } = await vendors.uploadFile(dropbox, source, commit, { chunkSize: 1_000_000 })
        assert.equal(metadata.size, contents.length)
        const { result } = await dropbox.filesDownload({ path: metadata.id })
        assert.ok(result.fileBinary.equals(contents))
        harness.assertNothingLeft()
      })

      test('does not download again what it has', async () => {
        const dropbox = client()
        const { result: made } = await dropbox.filesUpload({ path: `${folder}/same`, contents: 'same' })
        const { headers } = await dropbox.filesDownload({ path: made.id })
        const extraHeaders = { 'If-None-Match': headers.get('etag') }
        // To this SDK, every status that is not 2xx is an error.
        await assert.rejects(dropbox.filesDownload({ path: made.id }, { extraHeaders }), { status: 304 })
        harness.assertNothingLeft()
      })

      test('shows its own errors of a record that is not there, of a limit and of a token that ended', async () => {
        const dropbox = client()
        const failure = (status: number, summary: string) => (error: Error & { status: number; error: unknown }) => {
          assert.ok(error instanceof vendors.DropboxResponseError)
          assert.equal(error.status, status)
          assert.equal((error.error as { error_summary?: string }).error_summary, summary)
          return true
        }
        const missing = dropbox.filesGetMetadata({ path: '/nothing' })
        await assert.rejects(missing, failure(409, 'path/not_found/...'))
        const { faults } = harness.lab.services.dropbox
        const summary = 'too_many_requests/..'
        const body = JSON.stringify({ error_summary: summary, error: { reason: { '.tag': 'too_many_requests' } } })
        faults.add({ path: '/2/files/get_metadata', kind: 'status', status: 429, retryAfterSeconds: 0, body })
        await assert.rejects(dropbox.filesGetMetadata({ path: '/limited' }), failure(429, summary))
        await assert.rejects(client('trt_unknown').filesGetMetadata({ path: '/x' }), { status: 401 })
        harness.assertNothingLeft()
      })
    })
})
