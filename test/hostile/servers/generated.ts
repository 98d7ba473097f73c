import fc from 'fast-check'
import {
  column,
  END_OF_ROWS,
  failure,
  greeting,
  type MysqlSignIn,
  OK,
  packet,
  result,
  switchTo,
  text,
} from './mysql.ts'
import { dataRow, int16, int32, message, type PostgresSignIn, READY, rowDescription } from './postgres.ts'
import type { Misdeed } from './scripted-server.ts'

export interface Case<SignIn> {
  misdeed: Misdeed
  signIn: SignIn
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((each) => Buffer.from(each))
const wrongLength = fc.oneof(
  fc.integer({ min: -6, max: 6 }),
  fc.constantFrom(0x7f_ff_ff_ff, -1000, 65_535, 0xff_ff_ff, 1_000_000),
)

/** One turn of a server with these frames, truncated and split anywhere. */
function misdeeds<SignIn>(
  frame: fc.Arbitrary<Buffer>,
  turns: number,
  signIn: fc.Arbitrary<SignIn>,
): fc.Arbitrary<Case<SignIn>> {
  return fc
    .record({
      frames: fc.array(frame, { minLength: 1, maxLength: 4 }),
      cutAt: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 3 }),
      turn: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: turns })),
      how: fc.constantFrom('before' as const, 'instead' as const, 'instead' as const, 'after' as const),
      pieces: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 }),
      // Few silent servers, because each costs a timeout.
      finally: fc.constantFrom('end' as const, 'reset' as const, 'end' as const, 'stay' as const),
      signIn,
    })
    .map(({ frames, cutAt, turn, how, pieces, finally: last, signIn: way }) => {
      const all = Buffer.concat(frames)
      const sent = cutAt === null ? all : all.subarray(0, Math.max(1, all.length - cutAt))
      return { misdeed: { turn, bytes: sent, how, pieces, finally: last }, signIn: way }
    })
}

const POSTGRES_TYPES = 'RSKZTDCENA12n3tsIGHWdcVv!\0'.split('')

const postgresFrame = fc.oneof(
  // Valid frames at the wrong time.
  fc.constantFrom(
    READY,
    message('R', int32(0)),
    message('R', int32(3)),
    message('R', int32(5), 'salt'),
    message('R', int32(10), 'SCRAM-SHA-256\0\0'),
    message('R', int32(11), 'r=abc,s=c2FsdA==,i=4096'),
    message('R', int32(12), 'v=AAAA'),
    message('K', int32(1), int32(2)),
    message('S', 'client_encoding\0LATIN1\0'),
    message('E', 'SFATAL\0C57P01\0Mshutting down\0\0'),
    message('E', 'SERROR\0C22001\0Mtoo long\0Dvalue\0\0'),
    message('N', 'SNOTICE\0Mhello\0\0'),
    message('A', int32(1), 'channel\0payload\0'),
    rowDescription(['id', 'seq']),
    rowDescription(['__proto__', 'constructor']),
    dataRow(['a', null]),
    dataRow(['b']),
    message('C', 'SELECT 1\0'),
    message('1'),
    message('2'),
    message('3'),
    message('n'),
    message('s'),
    message('I'),
    message('t', int16(1), int32(25)),
    message('G', '\0', int16(1), int16(0)),
    message('H', '\0', int16(0)),
    message('W', '\0', int16(0)),
    message('d', 'data'),
    message('c'),
    message('v', int32(0), int32(0)),
  ),
  // Counts, lengths and texts that do not match the contents.
  fc
    .record({ count: fc.integer({ min: 0, max: 65_535 }), body: bytes(40), type: fc.constantFrom('T', 'D', 't', 'G') })
    .map(({ count, body, type }) => message(type, int16(count), body)),
  fc
    .record({ lengths: fc.array(fc.integer(), { maxLength: 4 }), body: bytes(20) })
    .map(({ lengths, body }) => message('D', int16(lengths.length), ...lengths.map(int32), body)),
  fc
    .record({ type: fc.constantFrom('E', 'N', 'S', 'C', 'A'), body: bytes(30) })
    .map(({ type, body }) => message(type, body)),
  fc
    .record({ code: fc.integer({ min: 0, max: 14 }), body: bytes(20) })
    .map(({ code, body }) => message('R', int32(code), body)),
  fc
    .record({ type: fc.constantFrom(...POSTGRES_TYPES), wrong: wrongLength, body: bytes(40) })
    .map(({ type, wrong, body }) => Buffer.concat([Buffer.from(type, 'latin1'), int32(body.length + 4 + wrong), body])),
  bytes(64),
)

const mysqlBody = fc.oneof(
  fc.constantFrom(
    OK,
    END_OF_ROWS,
    failure('denied'),
    greeting(false),
    greeting(true),
    switchTo('mysql_native_password'),
    switchTo('caching_sha2_password'),
    switchTo('sha256_password'),
    switchTo('mysql_clear_password'),
    switchTo('__proto__'),
    Buffer.from([1, 3]),
    Buffer.from([1, 4]),
    Buffer.from([2, 0]),
    Buffer.from('\xfb/etc/passwd', 'latin1'),
    Buffer.from([1]),
    Buffer.from([250]),
    Buffer.from([0xfc, 0xff, 0xff]),
    Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    column('id'),
    column('__proto__'),
    text('a'),
    // Announces more results.
    Buffer.from([0, 0, 0, 10, 0, 0, 0]),
  ),
  fc.integer({ min: 0, max: 255 }).map((type) => column('x', type)),
  fc
    .record({ first: fc.constantFrom(0, 1, 2, 0xfb, 0xfc, 0xfd, 0xfe, 0xff, 10), body: bytes(40) })
    .map(({ first, body }) => Buffer.concat([Buffer.from([first]), body])),
  bytes(64),
)

const mysqlFrame = fc.oneof(
  fc
    .record({ sequence: fc.integer({ min: 0, max: 5 }), body: mysqlBody })
    .map(({ sequence, body }) => packet(sequence, body)),
  fc
    .record({ sequence: fc.integer({ min: 0, max: 255 }), wrong: wrongLength, body: mysqlBody })
    .map(({ sequence, wrong, body }) => {
      const bad = packet(sequence, body)
      bad.writeUIntLE((body.length + wrong) & 0xff_ff_ff, 0, 3)
      return bad
    }),
  fc
    .record({ type: fc.integer({ min: 0, max: 255 }), value: fc.string({ maxLength: 20 }) })
    .map(({ type, value }) => result(0, ['x'], [[value]], type)),
  bytes(64),
)

export const postgresCases: fc.Arbitrary<Case<PostgresSignIn>> = misdeeds(
  postgresFrame,
  16,
  fc.constantFrom('trust', 'password', 'md5', 'scram'),
)

export const mysqlCases: fc.Arbitrary<Case<MysqlSignIn>> = misdeeds(
  mysqlFrame,
  40,
  fc.constantFrom('native', 'switch', 'sha2'),
)
