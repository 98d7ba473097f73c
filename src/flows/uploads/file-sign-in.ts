import { keyFor } from '#access/service-key.ts'
import type { SignInDeps } from '#identity/deps.ts'
import { AuthorizeError } from '#identity/errors.ts'
import type { SignedIn } from '#kit/auth/auth.ts'
import { ApiError } from '#model/errors.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import { deleteUpload, type UploadKey } from '#store/sync/uploads.ts'
import { completeOnce, repeatOutcome } from '../sign-in/complete-once.ts'
import { keepForm } from '../sign-in/kept-form.ts'
import { typedPath } from '../sign-in/start.ts'
import { attemptsResumeInS, countTyped } from '../sign-in/typed-attempts.ts'
import {
  type OpenPage,
  openSubmittedPage,
  submittedPage,
  type TypedForm,
  type TypedOutcome,
  type TypedProblem,
} from '../sign-in/typed-sign-in.ts'
import type { FileDeps } from './file-deps.ts'
import { targetOfSignIn } from './file-target.ts'
import { type IncomingFile, receiveUpload } from './receive-upload.ts'
import { signedInByFile } from './signed-in-by-file.ts'
import { UploadRefused } from './upload-refused.ts'

/** The person uploaded a file on the page of a sign-in. `openFile` is called once the sign-in is known to be open. */
export async function submitFile(
  deps: SignInDeps<FileDeps>,
  state: string,
  browser: Buffer | undefined,
  ip: string,
  openFile: () => Promise<IncomingFile>,
): Promise<TypedOutcome> {
  const page = await openSubmittedPage(deps, state, browser)
  if ('completed' in page) return repeatOutcome(deps, page.completed)
  const { app, connector, pending } = page
  if (connector.auth.kind !== 'file') throw new ApiError('session_expired')
  const typeAgain = async (problem: TypedProblem): Promise<TypedOutcome> => {
    const form: TypedForm = { values: {}, faults: {}, problem }
    await keepForm(deps, state, pending, form)
    return { kind: 'typing', url: typedPath(state) }
  }
  const attempt = await countTyped(deps, { appId: app.id, connector, values: {}, browser: pending.browser, ip })
  if (attempt === undefined)
    return typeAgain({ kind: 'too_many', until: deps.clock.now() + attemptsResumeInS(deps) * 1000 })
  const beganAt = deps.clock.now()
  try {
    const key = await keyFor(deps, app.id, connector)
    if (key === undefined) throw new AuthorizeError('no_service_keys')
    const { signedIn, upload } = await takeFile(deps, page, openFile)
    await attempt.release()
    const outcome = await completeOnce(deps, submittedPage(deps, page), { connector, key, signedIn }, beganAt)
    if (outcome.kind === 'failed') await deleteUpload(deps.database, upload)
    return outcome
  } catch (error) {
    if (!(error instanceof UploadRefused)) throw error
    deps.trace.step('file', { refused: error.problem })
    return typeAgain({ kind: 'file', problem: error.problem })
  }
}

/** Stores and reads the file. Throws `UploadRefused` after deleting it. */
async function takeFile(
  deps: SignInDeps<FileDeps>,
  { app, connector, value: { request } }: OpenPage,
  openFile: () => Promise<IncomingFile>,
): Promise<{ signedIn: SignedIn; upload: UploadKey }> {
  const named = request.began === 'reconnect' ? request.reconnect.profileId : undefined
  const profileId = named === undefined ? undefined : { shard: shardIn(named), id: named }
  const { service } = connector
  const target = await targetOfSignIn(deps.database, { accountId: request.accountId, profileId }, service)
  const file = await openFile()
  const upload = await receiveUpload(deps, { shard: target.shard, appId: app.id }, file)
  try {
    const content = await deps.tasks.readUpload({ shard: upload.shard, id: upload.id }, service)
    if (content.kind === 'refused') throw new UploadRefused(content.problem)
    deps.trace.step('file', { bytes: upload.bytes, ...content.counts, skipped: content.skipped })
    return { signedIn: signedInByFile(target, upload, file.name, content, deps.clock.now()), upload }
  } catch (error) {
    await deleteUpload(deps.database, upload)
    throw error
  }
}
