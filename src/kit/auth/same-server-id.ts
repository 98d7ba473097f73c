/** The native id of somebody whom a record of the owner's server names, where people name their server. */
export function sameServerId(owner: string, id: string): string {
  const at = owner.lastIndexOf('@')
  return at < 0 ? id : `${id}${owner.slice(at)}`
}
