import { createClient } from '@tributary-hub/client'

export const redirect_uri = process.env.REDIRECT_URI ?? 'http://localhost:3000/back'

export const client = createClient({
  baseUrl: process.env.TRIBUTARY_URL ?? 'http://localhost:8042',
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
})
