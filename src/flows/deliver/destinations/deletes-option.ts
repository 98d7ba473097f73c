import { ApiError } from '#model/errors.ts'

/** Whether rows of items that are gone are removed; unless somebody says so they stay, marked. */
export function deletesHard(options: Record<string, unknown>): boolean {
  const { deletes } = options
  if (deletes === undefined || deletes === 'soft') return false
  if (deletes === 'hard') return true
  throw new ApiError('bad_body', 'options.deletes: must be soft or hard.')
}
