import { ICON_ICO, ICON_SVG } from '../pages/icon.ts'
import { route } from '../server/route.ts'

export const svgIcon = route({
  auth: 'browser',
  summary: 'Get the icon of the pages',
  type: 'image/svg+xml',
  run: async () => ICON_SVG,
})

export const icoIcon = route({
  auth: 'browser',
  summary: 'Get the icon in the format that browsers ask for by themselves',
  type: 'image/x-icon',
  run: async () => ICON_ICO,
})
