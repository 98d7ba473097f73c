/** Three streams that join. */
export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0b66c3"/><path d="M8 7l8 11 8-11M16 7v18" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>'

/** The same as a PNG of 32 by 32 pixels in an ICO file, for browsers that ask for `/favicon.ico`. */
export const ICON_ICO = Buffer.from(
  'AAABAAEAICAAAAEAIADJAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAC2bD////m5D8FAAAAAN0Uk5TAP//RFDWIQAAAGxJREFUeNql0LERgCAMBdBYOIL7OIIFn4IR2IfGniJ/ShNQDmqT5l0ud/AjssPqEtnQ6uwDHx0dYUbxDoJYvSFI6m2ITJrrDPBWFkcmCUcidUUkawNouw3ZdlfYA/9hKezHb5yy5BqRxxG+szwPhV+WTaVpSQAAAABJRU5ErkJggg==',
  'base64',
)
