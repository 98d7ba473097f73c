import type { Pair } from '../../base/pairs.ts'
import { formOf, jsonOf, type LabRequest, mediaType } from '../../base/request.ts'

/** A body may come as a form, as JSON or in parts, as the documentation's own examples send it. */
export async function tokenParams(request: LabRequest): Promise<Pair[]> {
  const type = mediaType(request)
  if (type === 'application/json') return Object.entries(jsonOf(request)).map(([name, value]) => [name, String(value)])
  if (type !== 'multipart/form-data') return formOf(request)
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(request.body), { headers }).formData()
  return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : ''])
}
