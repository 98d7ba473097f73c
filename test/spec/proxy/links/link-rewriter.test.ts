import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { LinkDepthError, LinkRewriter, type RelateLink, UnclearJsonError } from '#flows/proxy/link-rewriter.ts'
import { compileLinkPaths } from '#kit/connector/link-paths.ts'
import { cases, seedOf } from '../../../harness/effort.ts'

const OWN = 'https://api.test/'
const OURS = 'http://hub.test/proxy/x/'
const relate: RelateLink = (address) => {
  if (address.startsWith(OWN)) return OURS + address.slice(OWN.length)
  return address.startsWith('/') ? address : null
}

/** Rewrites a text that arrives in pieces that end at these places. */
function rewrite(paths: string[], body: string | Buffer, cuts: readonly number[] = []): string {
  const bytes = Buffer.from(body as string, 'utf8')
  const rewriter = new LinkRewriter(compileLinkPaths(paths), relate)
  const out: Buffer[] = []
  let from = 0
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    const piece = Buffer.from(bytes.subarray(from, Math.max(cut, from)))
    out.push(Buffer.from(rewriter.write(piece)))
    // Memory is used again by what reads sockets.
    piece.fill(0x22)
    from = Math.max(cut, from)
  }
  out.push(rewriter.end())
  return Buffer.concat(out).toString('latin1')
}

/** The bytes as one character each, as `rewrite` returns them. */
const latin1 = (text: string | Buffer) => Buffer.from(text as string, 'utf8').toString('latin1')

/** The same by reading the whole document. */
function expected(value: unknown, paths: readonly string[], at: readonly string[] = []): unknown {
  if (typeof value === 'string') return paths.some((path) => isAt(path.split('.'), at)) ? relate(value) : value
  if (Array.isArray(value)) return value.map((each) => expected(each, paths, [...at, '']))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expected(each, paths, [...at, name])]))
}

/** Whether the steps of a path, some of which may be parts of one name, are these names. */
function isAt([step, ...rest]: readonly string[], at: readonly string[]): boolean {
  if (step === undefined) return at.length === 0
  if (step === '**') return isAt(rest, at) || (at.length > 0 && isAt([step, ...rest], at.slice(1)))
  if (step === '*') return at.length > 0 && isAt(rest, at.slice(1))
  return [step, ...rest].some((_, i, all) => {
    const name = all.slice(0, i + 1)
    return !name.includes('*') && at[0] === name.join('.') && isAt(all.slice(i + 1), at.slice(1))
  })
}

const NAMES = [
  'next',
  'paging',
  'href',
  '@odata',
  '@odata.nextLink',
  'nextLink',
  'näch',
  'items',
  '*',
  '',
  'nex',
  'nextt',
]
const PATHS = [
  'next',
  'paging.next',
  '*.href',
  'items.*.next',
  '@odata.nextLink',
  '**.next',
  '**.paging.href',
  '**.näch',
  '*.*',
  '*.*.next',
]
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    `${OWN}a?b=c`,
    `${OWN}"\\`,
    'https://evil.test/',
    '/v1/x',
    `${OWN}{?a}`,
    '\u2028\ud800',
  ),
)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(text, text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
  ),
})).value

/** Any way to write a document: spaces, and characters that are escaped without need. */
function written(value: unknown, isOdd: () => boolean): string {
  const space = () => (isOdd() ? ' \r\n\t' : '')
  const quoted = (each: string) =>
    `"${Array.from(
      JSON.stringify(each)
        .slice(1, -1)
        .matchAll(/\\u[\da-f]{4}|\\.|[^\\]/gsu),
      ([one]) =>
        isOdd() && one.length === 1 ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}` : one,
    ).join('')}"`
  const plain = (each: unknown): string => {
    if (typeof each === 'string') return quoted(each)
    if (Array.isArray(each)) return `[${space()}${each.map(plain).join(`${space()},${space()}`)}${space()}]`
    if (each === null || typeof each !== 'object') return JSON.stringify(each)
    const fields = Object.entries(each).map(([name, inner]) => `${quoted(name)}${space()}:${space()}${plain(inner)}`)
    return `{${space()}${fields.join(`${space()},`)}}`
  }
  return space() + plain(value) + space()
}

const RUNS = { numRuns: cases(2000, 'LINK_CASES'), seed: seedOf('LINK_SEED') }

suite('links in a JSON body', () => {
  test('of random documents are those that a reader of the whole document finds, wherever the chunks end', () => {
    fc.assert(
      fc.property(
        json,
        fc.uniqueArray(fc.constantFrom(...PATHS), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(400), { maxLength: 20 }),
        fc.infiniteStream(fc.boolean()),
        (value, paths, cuts, odd) => {
          const body = written(value, () => odd.next().value === true)
          const result = Buffer.from(rewrite(paths, body, cuts), 'latin1').toString('utf8')
          assert.deepEqual(JSON.parse(result), expected(JSON.parse(body), paths))
          assert.equal(rewrite(paths, body, cuts), rewrite(paths, body))
          if (JSON.stringify(expected(value, paths)) === JSON.stringify(value)) assert.equal(result, body)
        },
      ),
      RUNS,
    )
  })

  test('are the same wherever a chunk ends', () => {
    const body = `{"a\\"n\\\\":["\\\\","\\""],"n\\u0065xt":"${OWN}\\"\\\\","näch":"\\"","next":"https:\\/\\/evil.test","next":"${OWN}é"}`
    const result = rewrite(['**.next'], body)
    assert.match(result, new RegExp(`"n.u0065xt":"${OURS}.*"next":null,"next":"${OURS}`))
    for (let cut = 0; cut <= Buffer.byteLength(body); cut += 1) {
      assert.equal(rewrite(['**.next'], body, [cut]), result, `cut at ${cut}`)
      assert.equal(rewrite(['**.next'], body, [cut, cut + 1]), result, `cut around ${cut}`)
    }
  })

  test('leave every byte of a document without links as it was, JSON or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300), { maxLength: 9 }), (bytes, cuts) => {
        try {
          assert.equal(rewrite(['**.next'], Buffer.from(bytes), cuts), latin1(Buffer.from(bytes)))
        } catch (error) {
          assert.ok(error instanceof UnclearJsonError)
          assert.ok(bytes.some((byte) => byte === 0 || byte === 0x2f || byte === 0x7b || byte === 0x5b))
        }
      }),
      RUNS,
    )
    for (const body of [
      '',
      '\ufeff{"next" : 1}',
      '{"nextt":"https://evil.test/","a":{"next ":"x"}}',
      '{"next":',
      ']}]}{"a":"',
      '{"a":"\\',
      '{"next":{"next":[{"a":tru',
      '[1,]',
      'for(;;);{"a":1}',
      Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x22, 0xc3, 0x22, 0x7d]),
    ])
      assert.equal(rewrite(['next', '**.next.next'], body), latin1(body))
  })

  test('are found in what only tolerant readers accept', () => {
    for (const [body, result] of [
      [`\ufeff{"next":"${OWN}a"}`, `\ufeff{"next":"${OURS}a"}`],
      [`)]}',\n{"next":"${OWN}a",}`, `)]}',\n{"next":"${OURS}a",}`],
      [`{"a":NaN,"next":"${OWN}a"}`, `{"a":NaN,"next":"${OURS}a"}`],
      [`{"next":"${OWN}a"}\n{"next":"${OWN}b"}`, `{"next":"${OURS}a"}\n{"next":"${OURS}b"}`],
      [`]}{"next":"${OWN}a","next":"https://evil.test/"}`, `]}{"next":"${OURS}a","next":null}`],
      [`{"a":["next","${OWN}a"],"ne\\u0078t":"${OWN}a"}`, `{"a":["next","${OWN}a"],"ne\\u0078t":"${OURS}a"}`],
    ] as const)
      assert.equal(rewrite(['next'], body), latin1(result))
  })

  test('have the same name in any case, because many readers do not tell them apart', () => {
    for (const name of ['NEXT', 'nExt', '\\u004eext', 'ne\\u0058T'])
      assert.equal(rewrite(['**.next'], `{"a":{"${name}":"https://evil.test/"}}`), `{"a":{"${name}":null}}`, name)
    for (const name of ['lin\u212a\u017f', '\u017ftart', '\u212aey'])
      assert.equal(
        rewrite(['links', 'start', 'key'], `{"${name}":"https://evil.test/"}`),
        latin1(`{"${name}":null}`),
        name,
      )
  })

  test('that only some readers find end the response', () => {
    const evil = '"https://evil.test/"'
    const unclear = [
      `{/*"*/"next":${evil},"a":"*/"}`,
      `/*"*/{"next":${evil}}//"`,
      `{#"\n"next":${evil}}`,
      `{next:${evil}}`,
      `{"a":1,next:${evil}}`,
      `{'next':'https://evil.test/'}`,
      `{"a":'"',"next":${evil},"b":'"'}`,
      `{"a":\\","next":${evil}}`,
    ]
    for (const body of unclear) assert.throws(() => rewrite(['**.next'], body), UnclearJsonError, body)
    const wide = Buffer.from(`{"next":${evil}}`, 'utf16le')
    for (const body of [wide, Buffer.from(wide).swap16(), Buffer.concat([Buffer.from([0xff, 0xfe]), wide])])
      for (const cuts of [[], [1, 2, 3, 4]]) assert.throws(() => rewrite(['**.next'], body, cuts), UnclearJsonError)
  })

  test('that cannot be read become null', () => {
    const unreadable = Buffer.concat([Buffer.from(`{"next":"${OWN}`), Buffer.from([0xff]), Buffer.from('"}')])
    for (const body of [`{"next":"${OWN}\n"}`, `{"next":"${OWN}\\x"}`, `{"next":"${OWN}`, `{"next":"`, unreadable])
      assert.match(rewrite(['next'], body), /^\{"next":null\}?$/)
  })

  test('that are too long become null, and what follows them is read', () => {
    const long = `${OWN}${'a'.repeat(20_000)}`
    const body = `{"next":"${long}\\"","a":{"next":"${long}"},"b":"${long}","next":"${OWN}b"}`
    const result = `{"next":null,"a":{"next":"${long}"},"b":"${long}","next":"${OURS}b"}`
    for (const cuts of [[], Array.from({ length: 40 }, (_, i) => i * 2000)])
      assert.equal(rewrite(['next'], body, cuts), result)
    const name = 'n'.repeat(100_000)
    assert.equal(rewrite(['**.next'], `{"${name}":{"next":"${OWN}a"}}`, [5, 9, 70]), `{"${name}":{"next":"${OURS}a"}}`)
  })

  test('end the response where it is nested without end', () => {
    const deep = '[{"a":'.repeat(4000)
    assert.equal(rewrite(['**.next'], `${deep}{"next":"${OWN}"}`), `${deep}{"next":"${OURS}"}`)
    assert.throws(() => rewrite(['next'], '['.repeat(10_001)), LinkDepthError)
  })
})
