/** Whether an address has a user name or a password before its host, even an empty one: such values belong into fields that are sealed. */
export function hasUserInfo(address: string): boolean {
  const url = URL.parse(address)
  return (
    url !== null && (url.username !== '' || url.password !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(address))
  )
}
