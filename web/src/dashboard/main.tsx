import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import './frame.css'
import { RouterProvider } from '@tanstack/react-router'
import { createDashboardRouter } from './router.tsx'

const queries = new QueryClient({
  // The transport repeats requests by itself.
  defaultOptions: { queries: { retry: false, staleTime: 5000 } },
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={createDashboardRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
