import { DEMO_OPERATOR, type OperatorRole } from '#model/apps/operator.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** A named operator, as stored. */
export interface StoredOperator {
  id: string
  name: string
  role: OperatorRole
  apps: string[]
  /** The encoded hash; undefined: passkeys only. */
  password?: string | undefined
  createdAt: number
}

interface OperatorRow {
  id: string
  name: string
  role: OperatorRole
  apps: string[]
  password: string | null
  created_at: number
}

const columns = 'id, name, role, apps, password, created_at'
const insert = statement(
  'operator-insert',
  `insert into operator (id, name, login, role, apps, password, created_at)
   values ($id, $name, $login, $role, $apps, $password, $createdAt) on conflict do nothing`,
)
const list = statement('operator-list', `select ${columns} from operator order by created_at, id`)
const find = statement('operator-find', `select ${columns} from operator where id = $id`)
const findByLogin = statement('operator-by-login', `select ${columns} from operator where login = $login`)
const exists = statement(
  'operator-exists',
  'select true as found from operator where id <> $visitor or password is not null limit 1',
)
// The lock makes changes of roles wait for each other, so that the last operator is never lost.
const lockAll = statement('operator-lock', `select ${columns} from operator order by id for update`)
const update = statement(
  'operator-update',
  `update operator set name = $name, login = $login, role = $role, apps = $apps where id = $id`,
)
const setPassword = statement('operator-set-password', 'update operator set password = $password where id = $id')
const replacePassword = statement(
  'operator-replace-password',
  'update operator set password = $password where id = $id and password = $before',
)
const hasForm = statement(
  'operator-has-password-form',
  `select true as found from operator where starts_with(password, $prefix) limit 1`,
)
const remove = statement('operator-delete', 'delete from operator where id = $id')

/** How a name is compared. */
export function loginOf(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** False if the name is taken. */
export async function insertOperator(tx: Queries, operator: StoredOperator): Promise<boolean> {
  const { id, name, role, apps, password = null, createdAt } = operator
  return (await tx.count(insert.with({ id, name, login: loginOf(name), role, apps, password, createdAt }))) > 0
}

export async function listOperators(queries: Queries): Promise<StoredOperator[]> {
  return (await queries.rows<OperatorRow>(list)).map(toOperator)
}

export async function lockOperators(tx: Queries): Promise<StoredOperator[]> {
  return (await tx.rows<OperatorRow>(lockAll)).map(toOperator)
}

export async function findOperator(queries: Queries, id: string): Promise<StoredOperator | undefined> {
  const [row] = await queries.rows<OperatorRow>(find.with({ id }))
  return row && toOperator(row)
}

export async function findOperatorByName(queries: Queries, name: string): Promise<StoredOperator | undefined> {
  const [row] = await queries.rows<OperatorRow>(findByLogin.with({ login: loginOf(name) }))
  return row && toOperator(row)
}

/** Whether anybody operates, besides a visitor of the demo. */
export async function hasOperators(queries: Queries): Promise<boolean> {
  return (await queries.rows(exists.with({ visitor: DEMO_OPERATOR }))).length > 0
}

export async function updateOperator(
  tx: Queries,
  { id, name, role, apps }: Pick<StoredOperator, 'id' | 'name' | 'role' | 'apps'>,
): Promise<void> {
  await tx.count(update.with({ id, name, login: loginOf(name), role, apps }))
}

/** `null`: passkeys only. */
export async function setOperatorPassword(tx: Queries, id: string, password: string | null): Promise<void> {
  await tx.count(setPassword.with({ id, password }))
}

/** Replaces a hash by another of the same password. False if the operator has another hash by now. */
export async function replaceOperatorPassword(
  tx: Queries,
  id: string,
  { before, password }: { before: string; password: string },
): Promise<boolean> {
  return (await tx.count(replacePassword.with({ id, before, password }))) > 0
}

/** Whether any operator's hash begins with the name of this form. */
export async function hasPasswordForm(queries: Queries, form: string): Promise<boolean> {
  return (await queries.rows(hasForm.with({ prefix: `${form}$` }))).length > 0
}

export async function deleteOperator(tx: Queries, id: string): Promise<void> {
  await tx.count(remove.with({ id }))
}

function toOperator(row: OperatorRow): StoredOperator {
  const { id, name, role, apps, password, created_at: createdAt } = row
  return { id, name, role, apps, ...(password === null ? {} : { password }), createdAt }
}
