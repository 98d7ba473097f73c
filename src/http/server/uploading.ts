import type { Socket } from 'node:net'

/** Sockets whose request body is being stored or forwarded: the request timeout does not apply to them, but one of their own. */
const uploading = new WeakSet<Socket>()

export function beginUpload(socket: Socket): void {
  uploading.add(socket)
}

export function endUpload(socket: Socket): void {
  uploading.delete(socket)
}

export function isUploading(socket: Socket): boolean {
  return uploading.has(socket)
}
