import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '#model/apps/app.ts'

const SET_BY_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/**
 * True for a request of a program on this machine: from a loopback address, without headers of a proxy, and with this service in
 * `Host`. A page that uses DNS rebinding has its own name in `Host`.
 */
export function isLocalCaller(ip: string, headers: IncomingHttpHeaders, baseUrl: string): boolean {
  if (!isLoopback(ip === '::1' ? '[::1]' : ip)) return false
  if (Object.keys(headers).some((name) => SET_BY_PROXIES.test(name))) return false
  const origin = `http://${headers.host ?? ''}`
  if (!URL.canParse(origin)) return false
  const { hostname } = new URL(origin)
  return isLoopback(hostname) || hostname === new URL(baseUrl).hostname
}
