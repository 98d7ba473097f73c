/**
 * What a sharded server (Citus 13.2) does with DDL on a table that is on its nodes: from its documentation and its source
 * (`ErrorIfUnsupportedAlterTableStmt` and its neighbours), and tried by `forms-on-cluster.test.ts`. What is in no list is refused.
 */
interface Form {
  /** As PostgreSQL's manual writes it. */
  form: string
  /** An action of `alter table`, in small letters, with single spaces. */
  pattern: RegExp
  /** It must be the only action of its statement. */
  isAlone?: true
  /** An action on the table `scratch` of `forms-on-cluster.test.ts`. */
  example?: string
}

/** The column that an action names, where it matters because the table may be divided by it. */
const COLUMN = 'alter (?:column )?(?<column>\\w+)'

export const ACCEPTED_ACTIONS: readonly Form[] = [
  { form: 'ADD COLUMN', pattern: /^add column /, example: 'add column x int not null default 0' },
  { form: 'DROP COLUMN', pattern: /^drop column (?:if exists )?(?<column>\w+)/, example: 'drop column n' },
  { form: 'SET NOT NULL', pattern: /^alter (?:column )?\w+ set not null$/, example: 'alter column n set not null' },
  {
    form: 'DROP NOT NULL',
    pattern: new RegExp(`^${COLUMN} drop not null$`),
    example: 'alter column filled drop not null',
  },
  { form: 'SET DEFAULT', pattern: new RegExp(`^${COLUMN} set default `), example: 'alter column n set default 1' },
  { form: 'DROP DEFAULT', pattern: new RegExp(`^${COLUMN} drop default$`), example: 'alter column n drop default' },
  {
    form: 'SET DATA TYPE',
    pattern: new RegExp(`^${COLUMN} (?:set data )?type `),
    example: 'alter column n type bigint',
  },
  {
    form: 'SET COMPRESSION',
    pattern: /^alter (?:column )?\w+ set compression /,
    example: 'alter column t set compression pglz',
  },
  {
    form: 'ADD CONSTRAINT',
    pattern: /^add (?:constraint|check|unique|primary key|foreign key)\b/,
    isAlone: true,
    example: 'add constraint positive check (n > 0)',
  },
  { form: 'VALIDATE CONSTRAINT', pattern: /^validate constraint /, example: 'validate constraint unchecked' },
  { form: 'DROP CONSTRAINT', pattern: /^drop constraint /, example: 'drop constraint unchecked' },
  { form: 'REPLICA IDENTITY', pattern: /^replica identity /, example: 'replica identity full' },
  { form: 'OWNER TO', pattern: /^owner to /, example: 'owner to current_user' },
  { form: 'SET (…)', pattern: /^set \(/, example: 'set (fillfactor = 90)' },
  { form: 'RESET (…)', pattern: /^reset \(/, example: 'reset (fillfactor)' },
  {
    form: 'ROW LEVEL SECURITY',
    pattern: /^(?:enable|disable|force|no force) row level security$/,
    example: 'enable row level security',
  },
  { form: 'SET LOGGED', pattern: /^set (?:un)?logged$/, example: 'set unlogged' },
  { form: 'RENAME COLUMN', pattern: /^rename (?:column )?\w+ to \w+$/, example: 'rename column n to m' },
  { form: 'ATTACH PARTITION', pattern: /^attach partition /, isAlone: true },
  { form: 'DETACH PARTITION', pattern: /^detach partition \w+$/, isAlone: true },
]

/** The other actions that PostgreSQL has. Their patterns come first, because some begin like an accepted one. */
export const REFUSED_ACTIONS: readonly Form[] = [
  {
    form: 'ADD COLUMN … SERIAL',
    pattern: /^add column .*\b(?:small|big)?serial[248]?\b/,
    example: 'add column s bigserial',
  },
  {
    form: 'ADD COLUMN … IDENTITY',
    pattern: /^add column .*\bas identity\b/,
    example: 'add column s bigint generated always as identity',
  },
  {
    form: 'ADD COLUMN … DEFAULT nextval',
    pattern: /^add column .*\bnextval\(/,
    example: `add column x bigint default nextval('numbers'), add column y int`,
  },
  {
    form: 'SET STORAGE',
    pattern: /^alter (?:column )?\w+ set storage /,
    example: 'alter column t set storage external',
  },
  {
    form: 'SET STATISTICS',
    pattern: /^alter (?:column )?\w+ set statistics /,
    example: 'alter column n set statistics 9',
  },
  {
    form: 'SET (n_distinct)',
    pattern: /^alter (?:column )?\w+ set \(/,
    example: 'alter column n set (n_distinct = 5)',
  },
  {
    form: 'RESET (n_distinct)',
    pattern: /^alter (?:column )?\w+ reset \(/,
    example: 'alter column n reset (n_distinct)',
  },
  {
    form: 'ADD GENERATED … AS IDENTITY',
    pattern: /^alter (?:column )?\w+ add generated /,
    example: 'alter column filled add generated always as identity',
  },
  {
    form: 'SET GENERATED, RESTART',
    pattern: /^alter (?:column )?\w+ (?:set generated|restart)\b/,
    example: 'alter column filled restart',
  },
  {
    form: 'DROP IDENTITY',
    pattern: /^alter (?:column )?\w+ drop identity/,
    example: 'alter column n drop identity if exists',
  },
  {
    form: 'DROP EXPRESSION',
    pattern: /^alter (?:column )?\w+ drop expression/,
    example: 'alter column n drop expression if exists',
  },
  { form: 'SET EXPRESSION', pattern: /^alter (?:column )?\w+ set expression / },
  { form: 'ALTER CONSTRAINT', pattern: /^alter constraint /, example: 'alter constraint unchecked deferrable' },
  { form: 'TRIGGER', pattern: /^(?:enable|disable) (?:replica |always )?trigger /, example: 'disable trigger user' },
  { form: 'RULE', pattern: /^(?:enable|disable) (?:replica |always )?rule /, example: 'disable rule none' },
  { form: 'CLUSTER ON', pattern: /^cluster on /, example: 'cluster on scratch_pkey' },
  { form: 'SET WITHOUT CLUSTER', pattern: /^set without /, example: 'set without cluster' },
  { form: 'SET TABLESPACE', pattern: /^set tablespace /, example: 'set tablespace pg_default' },
  { form: 'SET ACCESS METHOD DEFAULT', pattern: /^set access method default$/ },
  { form: 'RENAME CONSTRAINT', pattern: /^rename constraint /, example: 'rename constraint unchecked to later' },
  { form: 'INHERIT', pattern: /^(?:no )?inherit /, example: 'inherit other' },
  { form: 'OF', pattern: /^of |^not of$/, example: 'not of' },
  { form: 'DETACH PARTITION … CONCURRENTLY', pattern: /^detach partition \w+ (?:concurrently|finalize)$/ },
]

/** Beginnings of other statements that a table on the nodes accepts, and those that only read or write rows. */
export const ACCEPTED_STATEMENTS: readonly RegExp[] = [
  /^(?:insert|update|delete|select|with|truncate|lock) /,
  /^create (?:unique )?index (?!.* tablespace )/,
  /^drop index (?:concurrently )?(?:if exists )?\w+$/,
  /^alter index (?:if exists )?\w+ (?:rename to|set \(|reset \()/,
  /^drop table (?:if exists )?\w+(?: cascade)?$/,
  // Without a name, each node would give it another one.
  /^create statistics (?:if not exists )?\w+ (?:\(|on )/,
  /^create (?:or replace )?function /,
]
