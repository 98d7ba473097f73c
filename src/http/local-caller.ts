import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '#model/app.ts'

const SET_BY_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/**
 * True for a program on this machine that calls us itself: by a loopback address, with no trace of a proxy, and with a
 * Host that is ours. A page whose name was made to lead here (DNS rebinding) has its own name in Host.
 */
export function isLocalCaller(ip: string, headers: IncomingHttpHeaders, baseUrl: string): boolean {
  if (!isLoopback(ip === '::1' ? '[::1]' : ip)) return false
  if (Object.keys(headers).some((name) => SET_BY_PROXIES.test(name))) return false
  const origin = `http://${headers.host ?? ''}`
  if (!URL.canParse(origin)) return false
  const { hostname } = new URL(origin)
  return isLoopback(hostname) || hostname === new URL(baseUrl).hostname
}
