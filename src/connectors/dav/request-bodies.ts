/** The media type of all bodies. */
export const XML_TYPE = 'application/xml; charset=utf-8'

const NAMESPACES =
  'xmlns="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav" xmlns:cal="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/" xmlns:ical="http://apple.com/ns/ical/"'

const document = (root: string, content: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><${root} ${NAMESPACES}>${content}</${root}>`

const prop = (names: string[]): string => `<prop>${names.map((name) => `<${name}/>`).join('')}</prop>`

/** Asks for properties. Names with the prefixes `card`, `cal`, `cs` and `ical`; those of WebDAV have none. */
export function propfind(...names: string[]): string {
  return document('propfind', prop(names))
}

/** Asks which members changed since the token (RFC 6578); without one, for all. It is escaped already. */
export function syncCollection(token: string): string {
  return document('sync-collection', `<sync-token>${token}</sync-token><sync-level>1</sync-level>${prop(['getetag'])}`)
}

/** Asks for the content of members (RFC 6352 8.7, RFC 4791 7.9). */
export function multiget(report: string, data: string, hrefs: readonly string[]): string {
  return document(report, prop(['getetag', data]) + hrefs.map((href) => `<href>${escapeXml(href)}</href>`).join(''))
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
