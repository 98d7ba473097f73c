/** RFC 5849 3.6: encodes everything except letters, digits and `-._~`, with uppercase hex. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

const encodedText = /^(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})*$/

export const isPercentEncoded = (text: string): boolean => encodedText.test(text)
