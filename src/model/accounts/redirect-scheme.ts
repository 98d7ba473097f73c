// Schemes that run code, read local files, or open another program or network client: none is an app that receives a code.
const REFUSED = new Set(
  [
    'javascript data vbscript livescript mocha jscript',
    'about blob cid content file filesystem intent jar mhtml mid resource res view-source wyciwyg',
    'android-app applescript help hcp itms itms-apps its mk ms search search-ms settings shell steam',
    'callto facetime facetime-audio im mailto msnim sip sips skype sms smsto tel whatsapp xmpp',
    'afp dav davs dns ftp ftps git gopher imap irc ircs ldap ldaps news nfs nntp pop rtsp sftp smb snews ssh svn telnet tn3270 vnc ws wss',
    'bitcoin feed magnet podcast urn webcal',
    'brave edge opera vivaldi',
  ].flatMap((line) => line.split(' ')),
)
const REFUSED_FAMILIES = /^(?:chrome|moz|ms|microsoft|safari|web|x-apple|windows)(?:-|\+|$)/

/** True for a scheme of browsers, operating systems or protocols; false for an app's own (`com.example.app:`). */
export function isRefusedScheme(protocol: string): boolean {
  const scheme = protocol.replace(/:$/, '').toLowerCase()
  // A name with a dot is a reversed domain name (RFC 8252 7.1).
  return !scheme.includes('.') && (REFUSED.has(scheme) || REFUSED_FAMILIES.test(scheme))
}
