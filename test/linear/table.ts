import { readEvent } from '#connectors/dav/caldav/event.ts'
import { readContact } from '#connectors/dav/carddav/contact.ts'
import { createReader } from '#connectors/dav/files/read-files.ts'
import { bodyLinkBack, type ResponseOrigin } from '#flows/proxy/lead-back.ts'
import { LinkRewriter } from '#flows/proxy/link-rewriter.ts'
import { createTokenFinder } from '#flows/proxy/token-finder.ts'
import { asBearer } from '#http/proxy/token-forms.ts'
import { takePairs } from '#http/request/query-pairs.ts'
import { readAnswer } from '#kit/auth/ask.ts'
import { apiKey } from '#kit/auth/auth.ts'
import { compileLinkPaths } from '#kit/connector/link-paths.ts'
import { linkPages } from '#kit/endpoints/pages.ts'
import { allKeys } from '#kit/read/dedupe-keys.ts'
import { linksIn, plainText } from '#kit/read/kind.ts'
import { parseProfileName } from '#model/accounts/profile-name.ts'
import { readItemQuery } from '#model/item-filter/read.ts'
import { searchVector } from '#model/items/search-words.ts'
import { parseTextQuery } from '#model/items/text-query.ts'
import { fold, wordsOf } from '#model/items/words.ts'
import { contactKeys } from '#model/people/contact-keys.ts'
import { handleContradicts, namesContradict } from '#model/people/person-names.ts'
import { parseXml } from '#model/xml/parse-xml.ts'
import { parseCron } from '#platform/formats/cron.ts'
import { findJsonFault } from '#platform/formats/json-fault.ts'
import { listZip, readZipEntry } from '#platform/formats/zip.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { parseCsv } from '#upstream/body/csv.ts'
import { parseLossless } from '#upstream/body/lossless-json.ts'
import { excerpt } from '#upstream/request/errors.ts'

/**
 * Expressions that read only our own text, or text that nobody outside can make long. By file and text, with the
 * reason.
 */
export const OWN_INPUT: Record<string, string> = {
  'src/platform/embedded-postgres/postmaster.ts /pre-existing shared memory block|lock file .* already exists|could not (bind|create any)/':
    'the last 4 KB that our own PostgreSQL wrote at its start',
  'src/platform/embedded-postgres/postmaster.ts /could not (access|change|open) director.*Permission denied/':
    'the last 4 KB that our own PostgreSQL wrote at its start',
  'src/destinations/nats/nats.ts /[^.]*\\{\\w+\\}[^.]*/g': 'a subject, which MAX_SUBJECT keeps short',
}

/** Expressions composed at run time: why they are linear, or which function below covers them. */
export const MADE: Record<string, string> = {
  "new RegExp(`${UNSPACED.source}|[^\\\\s]`, 'gu')": 'wordsOf',
  "new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'gu')": 'fold',
  "new RegExp(`([\\\\p{M}\\uFF9E\\uFF9F]{${MAX_MARKS}})[\\\\p{M}\\uFF9E\\uFF9F]+`, 'gu')": 'fold',
  "new RegExp(`^${escaped.join('[^/]+')}$`)":
    'anchored, and a connector’s path has at most one placeholder between two slashes',
  'new RegExp(pattern)': 'of an entry: no groups, at most one unbounded repetition, and typed values are short',
}

const LINKS = compileLinkPaths(['**.next', 'a.*.href'])
const LINK_ORIGIN: ResponseOrigin = {
  url: 'https://a.test/v1/x',
  api: { apiUrl: 'https://a.test/v1', hosts: [] },
  auth: apiKey({ in: 'query', name: 'key' }),
  proxyUrl: 'https://hub.test/proxy/a',
}
const links = linkPages()
const nextLink = (header: string): void => {
  links.next({
    request: { method: 'GET', path: '/', query: {} },
    body: null,
    headers: { link: `<https://a.example/>${header}` },
    count: 1,
  })
}
/** Most inputs are refused; the time that takes is measured. */
const quietly =
  (read: (text: string) => unknown) =>
  (text: string): void => {
    try {
      read(text)
    } catch {
      // A refusal ends the run as well.
    }
  }

/**
 * Functions that read untrusted text, with their worst inputs: each pump is repeated to a megabyte, alone and after
 * each prefix.
 */
export const FUNCTIONS: Record<string, { run: (text: string) => unknown; pumps: string[]; begins?: string[] }> = {
  readFile: {
    run: quietly((text) => {
      const reader = createReader(50_000)
      for (const _ of reader.add(text));
      return [...reader.records()].length
    }),
    pumps: [
      '\n',
      '\r\n ',
      'BEGIN:VEVENT\n',
      'END:VEVENT\n',
      'BEGIN:VEVENT\nUID:1\nEND:VEVENT\n',
      'BEGIN:VEVENT\nEND:VEVENT\n',
      'BEGIN:VEVENT\nDTSTART;TZID=x:1\nEND:VEVENT\n',
      'BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\n',
      'END:VCALENDAR\nBEGIN:VCALENDAR\n',
      'END:VCALENDAR\nBEGIN:VCARD\nFN:x\nEND:VCARD\n',
      'UID:',
      'x',
    ],
    begins: [
      'BEGIN:VCALENDAR\n',
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\n',
      'BEGIN:VCARD\n',
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:',
    ],
  },
  listZip: {
    run: quietly((text) => {
      const bytes = Buffer.from(text, 'latin1')
      for (const entry of listZip(bytes, { maxEntries: 10_000 })) readZipEntry(bytes, entry, 1_000_000)
    }),
    pumps: ['PK\x05\x06', 'PK\x01\x02', 'PK\x03\x04', 'P', '\0', 'PK\x05\x06\0\0\0\0'],
    begins: ['', 'PK\x03\x04'],
  },
  readContact: {
    run: quietly(readContact),
    pumps: [
      '\n',
      '\r\n ',
      'EMAIL:x\n',
      'N:a',
      ';',
      ';"',
      ';a=b,',
      '\\',
      '\\n',
      ',',
      'CATEGORIES:a,b\n',
      'ADR:;;;\n',
      '^n',
      'a.',
    ],
    begins: ['BEGIN:VCARD\nN:', 'BEGIN:VCARD\nEMAIL;TYPE="', 'BEGIN:VCARD\nTEL', 'BDAY:'],
  },
  readEvent: {
    run: quietly(readEvent),
    pumps: [
      'BEGIN:VEVENT\n',
      'END:VEVENT\n',
      'BEGIN:VEVENT\nEND:VEVENT\n',
      'BEGIN:VTIMEZONE\nTZID:a\nEND:VTIMEZONE\n',
      'ATTENDEE:mailto:a\n',
      'SUMMARY:\\n',
      '\r\n ',
      'a/',
      '1',
      'P1D',
    ],
    begins: [
      'BEGIN:VCALENDAR\n',
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;TZID=',
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDURATION:P',
    ],
  },
  parseXml: {
    run: quietly(parseXml),
    pumps: [
      '<',
      '<a',
      '<a>',
      '<a/>',
      '<a b="',
      '<a b=""',
      ' b=""',
      '<!--',
      '<![CDATA[',
      '<![CDATA[x]]>',
      '&',
      '&#',
      '&amp;',
      '</a>',
      '<?',
      ' ',
      'x',
    ],
    begins: ['', '<a>', '<a ', '<a b="', '<a><!--', '<a><![CDATA['],
  },
  parseCsv: {
    run: quietly(parseCsv),
    pumps: ['"', '""', 'a', ',', '\n', '\r', '\r\n', '"a",', '"\n'],
    begins: ['', '"', 'a\n'],
  },
  readHost: {
    run: (text) => readAnswer({ title: '', example: '', kind: 'host' }, text),
    pumps: ['a.', '@', 'a', '-', '/', '\u200b', 'ä'],
    begins: ['', 'https://', 'did:plc:'],
  },
  readHandle: {
    run: (text) => readAnswer({ title: '', example: '', kind: 'handle' }, text),
    pumps: ['a.', '@', 'a', '1.', '%'],
    begins: ['', '@', 'did:web:'],
  },
  rewriteLinks: {
    run: quietly((text) => {
      const rewriter = new LinkRewriter(LINKS, (address) => bodyLinkBack(address, LINK_ORIGIN))
      const bytes = Buffer.from(text)
      // Small chunks, so that what is held over their ends would be read again and again.
      for (let at = 0; at < bytes.length; at += 1000) rewriter.write(bytes.subarray(at, at + 1000))
      return rewriter.end()
    }),
    pumps: [
      '"',
      '\\',
      '\\u0061',
      '{"next":',
      '{"next":"',
      '"next":"/\t",',
      'a',
      ',',
      ':',
      ']',
      '}{',
      '\\"',
      '%',
      '{',
      ' ',
    ],
    begins: ['', '{"next":"', '{"next":"https://a.test/', '{"n', '[[{"next":["', '{"next":"\\'],
  },
  findToken: {
    run: createTokenFinder(`trt_${'a1b2'.repeat(17)}x`),
    pumps: ['%', '%25', '%7', '%74', 't', 'trt_', 'trt_a1b2', '%2525', 'dHJ0X2E', 'a1b2', '%25%2'],
    begins: ['', 'trt_a1b2', '%'],
  },
  takePairs: {
    run: (text) => takePairs(text, new Set(['token']), () => true),
    pumps: ['&', '=', 'token=', 'token=a&', '%74oken=a&', '+', '%', '%74'],
    begins: ['', 'token='],
  },
  asBearer: {
    run: asBearer,
    pumps: ['a', ' ', 'oauth_token="', ' oauth_token=trt_', 'trt_', '=', ',', '"'],
    begins: ['', 'Basic ', 'OAuth ', 'token ', 'Token token="trt_', 'OAuth oauth_token="trt_'],
  },
  linksIn: {
    run: linksIn,
    pumps: ['!', '!x', 'https://', 'https://!', 'https://a ', 'https://a.b/?! ', 'http'],
    begins: ['', 'https://'],
  },
  plainText: {
    run: plainText,
    pumps: [
      '<',
      '<br ',
      '<script',
      '<script>',
      '</script>',
      '<style><script>',
      '&',
      '&#',
      '&a',
      '&#x1',
      '\n',
      ' ',
      '\t ',
      '<a b=',
    ],
    begins: ['', '<', '<script>', '<br '],
  },
  fold: {
    run: fold,
    pumps: [
      '\u0301',
      '\u0301\u0323',
      '\u0301\uFF9E',
      '\u0344',
      '\u1ABF\u0301',
      'e\u0301',
      '\uFDFA',
      '각',
      'ß',
      '\u0315\u0300\u05AE\u0300\u0062',
    ],
    begins: ['', 'a'],
  },
  allKeys: { run: (text) => allKeys(text, [text]), pumps: ['a', ' ', '\t ', '\u0301\u0323', '\uFF9E', 'a\u0301'] },
  wordsOf: { run: wordsOf, pumps: ['a', 'a ', '东', '东a', 'à', '\u0301\u0323', 'ไ', '1', '_', '\u{1F600}'] },
  searchVector: {
    run: (text) => searchVector([text, text]),
    pumps: ['a ', 'ab', 'é ', '东京', '\u0301\u0323', 'c++', ' #a', '#', '@a', ' .a', ' :) ', '<=', '+#'],
  },
  contactKeys: {
    run: (text) => contactKeys({ name: text, handle: text, email: text, urls: [text] }),
    pumps: ['a', '@', '.', 'a@', 'a.', ' ', ' @', '/', '\u0301', 'www.'],
    begins: ['', 'a@', 'https://a/', 'https://'],
  },
  namesContradict: {
    run: (text) => [namesContradict(text, `${text}b c`), handleContradicts(`@${text}`, `${text} b`)],
    pumps: ['a', 'ae', 'y', 'sch', ' ', ' a', ',', '& ', '田', 'é'],
    begins: ['', 'a ', '田 '],
  },
  parseTextQuery: { run: parseTextQuery, pumps: ['"', '"a ', '-', '-"', 'a', 'a ', '" "', '*', 'é" '] },
  parseCron: { run: parseCron, pumps: [' ', '1,', '* ', 'A', 'A/', '0 6 * * * '], begins: ['', '0 6 * * * '] },
  parseProfileName: {
    run: (text) => parseProfileName({ find: () => undefined }, text),
    pumps: ['@', '%', '%40', 'a@', '%2540', '\ud800', 'é'],
    begins: ['', 'a@'],
  },
  findJsonFault: {
    run: findJsonFault,
    pumps: ['[', '{"a":', '"', '\\u0041', '1', ' ', '\n', '[],', '{"a":1,', '-'],
    begins: ['', '[', '"'],
  },
  readItemQuery: {
    run: quietly((text) => readItemQuery(new URLSearchParams(text), 0)),
    pumps: ['&', 'q=a&', 'a=', '1', ' ', '1.', ',', 'a,', '>1,', '^', '.'],
    begins: ['', 'limit=', 'near=', 'within=', 'before=', 'participants=', 'services=', 'fields=', 'q='],
  },
  redactText: {
    run: redactText,
    pumps: [
      'a=',
      'token=',
      'token=[redacted=',
      'token:[redacted:',
      'code:',
      "code:'",
      'token="',
      'token=\\"',
      'token:\\',
      'cookie: ',
      'cookie"',
      'Bearer ',
      'Bearer a',
      'eyJ',
      'eyJaaaaaaaa.',
      'a://',
      'a://a:',
      'http://',
      'tra_',
      '.-',
    ],
    begins: ['', 'token="'],
  },
  excerpt: { run: (text) => excerpt(text, ['abcdefgh']), pumps: [' ', '\u0000', 'abcdefg', 'abcdefgh', 'token=a '] },
  linkNext: {
    run: nextLink,
    pumps: [',', ', ', ', <', '<', ';rel=', '; rel="', '; rel= ', ';rel="a ', ';', '; ', ' next'],
    begins: ['', ';rel="', ';rel'],
  },
  parseLossless: {
    run: quietly(parseLossless),
    pumps: [
      '1',
      '-',
      '1e',
      '1.',
      '\\',
      '\\"',
      '"',
      '1 ',
      '12345678901234567890 ',
      '12345678901234567890,',
      ' ',
      'e1',
      '[',
      '{"a":',
    ],
    begins: ['', '[', '"'],
  },
}
