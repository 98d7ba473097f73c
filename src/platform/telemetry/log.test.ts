import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createLog, LOG_LEVELS, type LogLevel } from './log.ts'

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) }

function record(level: LogLevel, format: 'json' | 'text') {
  const lines: string[] = []
  return { lines, log: createLog({ level, format, clock, write: (line) => lines.push(line) }) }
}

suite('the log', () => {
  test('a level shows itself and what is graver', () => {
    for (const [floor, level] of LOG_LEVELS.entries()) {
      const { lines, log } = record(level, 'json')
      log.debug('1')
      log.info('2')
      log.warn('3')
      log.error('4')
      const shown = lines.map((line) => (JSON.parse(line) as { level: string }).level)
      assert.deepEqual(shown, LOG_LEVELS.slice(floor, 4))
    }
  })

  test('a JSON line is one document on one line', () => {
    const { lines, log } = record('info', 'json')
    log.info('two\nlines "quoted"', { n: 1, big: 10n, nested: { a: [undefined, 'x\ny'] } })
    assert.equal(lines.length, 1)
    assert.equal(lines[0]!.indexOf('\n'), lines[0]!.length - 1)
    assert.deepEqual(JSON.parse(lines[0]!), {
      time: '2026-01-02T03:04:05.006Z',
      level: 'info',
      message: 'two\nlines "quoted"',
      n: 1,
      big: '10',
      nested: { a: [null, 'x\ny'] },
    })
  })

  test('no field can pass for time, level or message', () => {
    const { lines, log } = record('info', 'json')
    log.error('true', { message: 'false', level: 'debug', time: 'never' })
    assert.deepEqual(JSON.parse(lines[0]!), { time: '2026-01-02T03:04:05.006Z', level: 'error', message: 'true' })
  })

  test('bound fields come with every line, the nearer ones winning', () => {
    const { lines, log } = record('info', 'json')
    log.with({ a: 1, b: 1 }).with({ b: 2 }).info('x', { c: 3 })
    assert.deepEqual(JSON.parse(lines[0]!), {
      time: '2026-01-02T03:04:05.006Z',
      level: 'info',
      message: 'x',
      a: 1,
      b: 2,
      c: 3,
    })
  })

  test('warnings and errors are counted by message, also those that the level hides', () => {
    const { lines, log } = record('silent', 'json')
    log.warn('it failed', { n: 1 })
    log.with({ a: 1 }).warn('it failed', { n: 2 })
    log.error('it failed')
    log.info('all is well')
    assert.deepEqual(lines, [])
    assert.deepEqual(log.counts(), [
      { level: 'warn', message: 'it failed', count: 2 },
      { level: 'error', message: 'it failed', count: 1 },
    ])
  })

  test('text is one calm line, whatever the values hold', () => {
    const { lines, log } = record('info', 'text')
    log.warn('moved', { to: 'here', count: 2 })
    log.warn('forged\n03:04:05 error stolen', { value: 'x\r\n\u001b[31mred' })
    assert.equal(lines[0], '03:04:05 warn  moved  to=here  count=2\n')
    assert.equal(lines[1], String.raw`03:04:05 warn  forged\n03:04:05 error stolen  value=x\r\n\u001b[31mred` + '\n')
  })

  test('messages and fields of both formats are redacted, bound ones too', () => {
    for (const format of ['json', 'text'] as const) {
      const { lines, log } = record('debug', format)
      log.with({ client_secret: 'c4nary' }).error('failed for ?access_token=c4nary', {
        deep: [{ password: 'c4nary' }],
        error: new Error('Authorization: Bearer c4nary'),
      })
      assert.doesNotMatch(lines.join(''), /c4nary/)
    }
  })
})
