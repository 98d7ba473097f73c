import type { Pair } from '../../base/pairs.ts'
import { formOf, jsonOf, type LabRequest, mediaType } from '../../base/request.ts'

/** Accepts form, JSON and multipart bodies: the vendor's examples use all three. */
export async function tokenParams(request: LabRequest): Promise<Pair[]> {
  const type = mediaType(request)
  if (type === 'application/json') return Object.entries(jsonOf(request)).map(([name, value]) => [name, String(value)])
  if (type !== 'multipart/form-data') return formOf(request)
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(request.body), { headers }).formData()
  return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : ''])
}
