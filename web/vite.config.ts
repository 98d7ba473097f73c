import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  base: '/web/',
  plugins: [react()],
  resolve: { alias: { '@tributary-hub/client': here('../sdk/src') } },
  build: {
    outDir: 'dist',
    // Nothing inline: the content security policy allows files below /web/assets/ only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { demo: here('demo.html'), dashboard: here('dashboard.html') } },
  },
})
