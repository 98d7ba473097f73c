import { json, type Reply } from '../../base/reply.ts'

const docs = 'https://docs.github.com'

export const githubError = (
  status: number,
  message: string,
  more: Record<string, unknown> = {},
  page = '/rest',
): Reply => json(status, { message, ...more, documentation_url: `${docs}${page}`, status: String(status) })

export const notFound = (): Reply => githubError(404, 'Not Found')

export const invalidField = (resource: string, field: string, code: 'missing_field' | 'invalid'): Reply =>
  githubError(422, 'Validation Failed', { errors: [{ resource, field, code }] })
