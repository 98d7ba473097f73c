import { Field } from '../../../ui/field.tsx'
import { useApps } from '../../current-app.ts'

export interface Rights {
  role: 'operator' | 'developer'
  apps: string[]
}

/** Chooses the role, and the apps of a developer. */
export function RoleFields({ value, onChange }: { value: Rights; onChange: (value: Rights) => void }) {
  const { data: apps = [] } = useApps()
  const toggle = (id: string, isOn: boolean) =>
    onChange({ ...value, apps: isOn ? [...value.apps, id] : value.apps.filter((each) => each !== id) })
  return (
    <>
      <Field label="Role" hint="An operator may do everything. A developer uses certain apps with their accounts.">
        <select
          value={value.role}
          onChange={({ target }) =>
            onChange({ ...value, role: target.value === 'operator' ? 'operator' : 'developer' })
          }
        >
          <option value="operator">Operator</option>
          <option value="developer">Developer</option>
        </select>
      </Field>
      {value.role === 'developer' && (
        <fieldset>
          <legend>Apps</legend>
          {apps.map(({ client_id: id, name }) => (
            <label key={id} className="row">
              <input
                type="checkbox"
                checked={value.apps.includes(id)}
                onChange={({ target }) => toggle(id, target.checked)}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}
