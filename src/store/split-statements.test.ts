import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readMigrations } from './read-migrations.ts'
import { splitStatements, sqlTokens } from './split-statements.ts'

suite('SQL is split at semicolons', () => {
  for (const [what, sql, expected] of [
    ['between statements', 'select 1; select 2;', ['select 1', 'select 2']],
    ['and empty statements are left out', ';; select 1;\n ;', ['select 1']],
    ['not in strings', `select ';', 'it''s;'; select 2`, [`select ';', 'it''s;'`, 'select 2']],
    ['not in strings with escapes', `select E'\\';', e'\\\\'; select 2`, [`select E'\\';', e'\\\\'`, 'select 2']],
    [
      'not in strings with escapes and doubled quotes',
      `select E'a''\\';'; select 2`,
      [`select E'a''\\';'`, 'select 2'],
    ],
    ['a backslash in other strings is itself', `select '\\'; select type'\\'`, [`select '\\'`, `select type'\\'`]],
    ['not in quoted names', 'select ";""; a"; select 2', ['select ";""; a"', 'select 2']],
    ['not in line comments', 'select 1 -- a; b\n + 1; select 2 -- c;', ['select 1 -- a; b\n + 1', 'select 2 -- c;']],
    ['comments before a statement are left out', '-- a; b\n/* c; */ select 1; -- d', ['select 1']],
    [
      'not in nested comments',
      'select 1 /* a; /* b; */ c; */ + 1; select 2',
      ['select 1 /* a; /* b; */ c; */ + 1', 'select 2'],
    ],
    ['not in dollar quotes', 'do $$ begin; end $$; select 2', ['do $$ begin; end $$', 'select 2']],
    ['not in tagged dollar quotes', 'do $a$ x; $$; $b$; $a$; select 2', ['do $a$ x; $$; $b$; $a$', 'select 2']],
    [
      'a dollar in a name or a parameter quotes nothing',
      'select a$b$ + $1; select $2;',
      ['select a$b$ + $1', 'select $2'],
    ],
    ['a minus and a slash are not comments', 'select 1 - 1 / 2; select 2', ['select 1 - 1 / 2', 'select 2']],
  ] as const)
    test(what, () => {
      assert.deepEqual(splitStatements(sql), expected)
      assert.equal(
        sqlTokens(sql)
          .map(({ text }) => text)
          .join(''),
        sql,
      )
    })

  for (const sql of [`select 'a;`, 'select "a;', 'select $a$ $$;', '/* /* */', `select E'\\'`])
    test(`and refused without an end of its quotation: ${sql}`, () =>
      assert.throws(() => splitStatements(`select 1;\n${sql}`), /without an end, from line 2/))
})

test('every migration consists of statements that begin with a known word', () => {
  const statements = readMigrations().flatMap(({ sql }) => splitStatements(sql))
  assert.ok(statements.length > 100)
  assert.deepEqual(
    statements.filter((text) => !/^(create|alter|drop|update|insert|delete|comment|with)\b/.test(text)),
    [],
  )
})
