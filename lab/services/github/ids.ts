import { createHash } from 'node:crypto'

/** New-style global node ids: a type prefix and an opaque part. */
export const nodeId = (prefix: string, id: number | string): string =>
  `${prefix}_${Buffer.from(`lab:${id}`).toString('base64url')}`

/** Gist ids depend on the name only, so other simulated services can link to them. */
export const gistId = (login: string, at: number): string =>
  createHash('md5').update(`gist ${login} ${at}`).digest('hex')

export const commitSha = (repo: string, at: number | string): string =>
  createHash('sha1').update(`commit ${repo} ${at}`).digest('hex')

export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
