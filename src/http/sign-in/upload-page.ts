import { z } from 'zod'
import { submitFile } from '#flows/uploads/file-sign-in.ts'
import { importFile } from '#flows/uploads/import-file.ts'
import { PAGE } from '../describe/description/other-responses.ts'
import { text } from '../request/parameters.ts'
import { browserOf } from '../server/browser.ts'
import { openUpload } from '../server/incoming-file.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from './continue-sign-in.ts'

export const submitPage = route({
  auth: 'browser',
  signInStep: 'typed',
  summary: 'Sign in with a file that the person uploads on the page; a repeated request returns the same result',
  query: z.object({ state: text('From the page.') }),
  streamsBody: true,
  uploads: ['multipart/form-data'],
  status: 303,
  reasons: ['session_expired', 'request_timeout'],
  headers: ['Location'],
  also: { 200: PAGE },
  run: async (deps, { query, request, reply, signIn }) => {
    const upload = openUpload(request.raw)
    try {
      const browser = browserOf(deps, request)
      return continueSignIn(deps, reply, await submitFile(signIn, query.state, browser, request.ip, upload.file))
    } finally {
      upload.close()
    }
  },
})

export const upload = route({
  auth: 'account',
  summary:
    'Upload a file of records for the account: calendars (.ics), contacts (.vcf) or a ZIP archive with such files',
  path: z.object({ service: text('A service that takes files: `files`.') }),
  streamsBody: true,
  uploads: ['application/octet-stream', 'text/calendar', 'text/vcard', 'application/zip', 'multipart/form-data'],
  status: 202,
  response: z
    .object({
      profile: z.string().describe('The profile of the files, `id@service`.'),
      records: z.record(z.string(), z.int()).describe('How many records the file has, by endpoint.'),
      skipped: z.int().describe('Events and contacts that were left out, because they are too large or cut off.'),
    })
    .meta({
      id: 'UploadedFile',
      description: 'What was found in a file. Its records are stored by a sync that begins at once.',
    }),
  reasons: ['service_unknown', 'file_refused', 'body_too_large', 'request_timeout'],
  run: async (deps, { path, account, actor, request }) => {
    const file = openUpload(request.raw)
    try {
      const imported = await importFile(deps, account, path.service, actor, file.file)
      request.server.forgetAccount(account.id)
      return imported
    } finally {
      file.close()
    }
  },
})
