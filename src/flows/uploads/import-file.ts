import { putProfile } from '#identity/connect-profile.ts'
import type { SignedIn } from '#kit/auth/auth.ts'
import type { Account } from '#model/accounts/account.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import { keepAppFromDeletion } from '#store/apps/deletions.ts'
import { auditAccount } from '#store/audit.ts'
import { lockAccount } from '#store/identity/accounts.ts'
import { deleteUpload } from '#store/sync/uploads.ts'
import { UPLOAD_PROBLEMS } from '../sign-in/upload-problems.ts'
import type { FileDeps } from './file-deps.ts'
import { targetOfAccount } from './file-target.ts'
import { type IncomingFile, receiveUpload } from './receive-upload.ts'
import { signedInByFile } from './signed-in-by-file.ts'
import { UploadRefused } from './upload-refused.ts'

export interface ImportedFile {
  profile: string
  /** Records by endpoint. */
  records: Record<string, number>
  skipped: number
}

/** Takes a file for an account. Its records are stored by the sync that this makes due. */
export async function importFile(
  deps: FileDeps,
  account: Account,
  serviceName: string,
  actor: string,
  openFile: () => Promise<IncomingFile>,
): Promise<ImportedFile> {
  const connector = deps.registry.find(serviceName)
  if (connector === undefined || connector.auth.kind !== 'file')
    throw new ApiError('service_unknown', 'There is no such service that takes files.', { param: 'service' })
  const { service } = connector
  try {
    const target = await targetOfAccount(deps.database, account, service)
    const file = await openFile()
    const upload = await receiveUpload(deps, { shard: target.shard, appId: account.appId }, file)
    try {
      const content = await deps.tasks.readUpload({ shard: upload.shard, id: upload.id }, service)
      if (content.kind === 'refused') throw new UploadRefused(content.problem)
      const signedIn = signedInByFile(target, upload, file.name, content, deps.clock.now())
      const profile = await attach(deps, account, service, signedIn, actor)
      return { profile: profileName(profile), records: content.counts, skipped: content.skipped }
    } catch (error) {
      await deleteUpload(deps.database, upload)
      throw error
    }
  } catch (error) {
    throw error instanceof UploadRefused ? apiErrorOf(error) : error
  }
}

async function attach(
  deps: FileDeps,
  { shard, id, appId }: Account,
  service: string,
  signedIn: SignedIn,
  actor: string,
): Promise<Profile> {
  return deps.database.transaction(async (tx) => {
    if (!(await keepAppFromDeletion(tx, appId))) throw new ApiError('client_unknown')
    const account = await lockAccount(tx, shard, id)
    // Merged or deleted since the token was verified.
    if (account === undefined) throw new ApiError('token_invalid')
    const now = deps.clock.now()
    const { profile } = await putProfile(deps, tx, account, { service, signedIn })
    await auditAccount(tx, account, {
      at: now,
      actor,
      action: 'profile.upload',
      detail: { profile: profileName(profile) },
    })
    return profile
  })
}

function apiErrorOf({ problem, cause }: UploadRefused): ApiError {
  const reason = problem === 'too_large' ? 'body_too_large' : 'file_refused'
  return new ApiError(reason, UPLOAD_PROBLEMS[problem], { cause })
}
