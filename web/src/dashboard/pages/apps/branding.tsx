import { call } from '@tributary-hub/client/core.ts'
import { type FormEvent, useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { Field } from '../../../ui/field.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { appChanged } from '../../changes.ts'
import type { ShownApp } from './shown-app.ts'

/** How the app looks on the pages that people see: colour, logo, privacy policy. */
export function BrandingForm({ app }: { app: ShownApp }) {
  const shown = app.branding ?? {}
  const [color, setColor] = useState(shown.color ?? '')
  const [privacy, setPrivacy] = useState(shown.privacy_url ?? '')
  const [logo, setLogo] = useState<File | null>()
  const action = useAction()
  const save = (event: FormEvent) => {
    event.preventDefault()
    void action.run(
      appChanged(app.client_id),
      async () => {
        const branding = {
          color: color === '' ? null : color,
          privacy_url: privacy === '' ? null : privacy,
          ...(logo === undefined ? {} : { logo: logo === null ? null : await base64Of(logo) }),
        }
        await call(asOperator, 'PATCH /admin/apps/{client_id}', {
          path: { client_id: app.client_id },
          body: { branding },
        })
        setLogo(undefined)
      },
      'Saved.',
    )
  }
  return (
    <form className="card stack apps-form" onSubmit={save} aria-label="Look">
      <p className="soft">People see this on the pages of the sign-in.</p>
      <div className="row apps-color">
        <Field label="Colour" hint="#rrggbb; its contrast is corrected where it is shown.">
          <input
            value={color}
            placeholder="#0b5cb5"
            pattern="#[0-9a-fA-F]{6}"
            onChange={({ target }) => setColor(target.value)}
          />
        </Field>
        <input
          type="color"
          aria-label="Choose the colour"
          value={/^#[0-9a-f]{6}$/i.test(color) ? color : '#0b5cb5'}
          onChange={({ target }) => setColor(target.value)}
        />
      </div>
      <Field label="Privacy policy" hint="An https address that the pages link to.">
        <input
          type="url"
          value={privacy}
          placeholder="https://app.example/privacy"
          onChange={({ target }) => setPrivacy(target.value)}
        />
      </Field>
      {shown.logo !== undefined && logo !== null && (
        <div className="row">
          <img className="apps-logo" src={shown.logo} alt={`Logo of ${app.name}`} />
          <button type="button" className="quiet" onClick={() => setLogo(null)}>
            Remove the logo
          </button>
        </div>
      )}
      <Field label="Logo" hint="PNG, JPEG or WebP.">
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp"
          onChange={({ target }) => setLogo(target.files?.[0])}
        />
      </Field>
      <ActionResult action={action} />
      <div className="row">
        <button type="submit" disabled={action.isBusy}>
          Save look
        </button>
        <a
          href={`/connect?${new URLSearchParams({ client_id: app.client_id, redirect_uri: app.redirect_uris[0] ?? '' }).toString()}`}
        >
          See the connect page
        </a>
      </div>
    </form>
  )
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
