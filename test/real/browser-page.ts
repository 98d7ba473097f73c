/** The parts of Playwright that tests use, declared here because the package is installed on demand. */
export interface Locator {
  setInputFiles(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>
  click(options?: { timeout?: number }): Promise<void>
  dblclick(): Promise<void>
  fill(value: string): Promise<void>
  press(key: string): Promise<void>
  check(): Promise<void>
  uncheck(): Promise<void>
  selectOption(value: string): Promise<string[]>
  focus(): Promise<void>
  waitFor(options?: { state?: 'attached' | 'detached' | 'visible' | 'hidden'; timeout?: number }): Promise<void>
  textContent(): Promise<string | null>
  innerText(): Promise<string>
  allInnerTexts(): Promise<string[]>
  inputValue(): Promise<string>
  getAttribute(name: string): Promise<string | null>
  isVisible(): Promise<boolean>
  isDisabled(): Promise<boolean>
  count(): Promise<number>
  first(): Locator
  nth(index: number): Locator
  locator(selector: string): Locator
  or(other: Locator): Locator
  filter(options: { hasText: string | RegExp }): Locator
  ariaSnapshot(): Promise<string>
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator
}

export interface Page {
  goto(
    url: string,
    options?: { waitUntil?: 'load' | 'domcontentloaded' | 'networkidle' | 'commit' },
  ): Promise<PageResponse | null>
  reload(): Promise<PageResponse | null>
  goBack(): Promise<PageResponse | null>
  url(): string
  title(): Promise<string>
  content(): Promise<string>
  locator(selector: string): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator
  waitForURL(url: string | RegExp | ((url: URL) => boolean), options?: { timeout?: number }): Promise<void>
  /** Evaluates an expression in the page and returns its JSON value. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Runs in every document of the page, before its own scripts. */
  addInitScript(script: { content: string }): Promise<void>
  screenshot(options?: { path?: string; fullPage?: boolean }): Promise<Buffer>
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(options: { colorScheme?: 'light' | 'dark'; reducedMotion?: 'reduce' }): Promise<void>
  setContent(html: string): Promise<void>
  setExtraHTTPHeaders(headers: Record<string, string>): Promise<void>
  goForward(): Promise<PageResponse | null>
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
  on(event: 'request', listener: (request: { url(): string; method(): string }) => void): void
  on(event: 'response', listener: (response: PageResponse) => void): void
  /** The next window that the page opens. */
  waitForEvent(event: 'popup'): Promise<Page>
  /** The next file that the browser saves. */
  waitForEvent(event: 'download'): Promise<Download>
  /** The cookies of this page's person, and the protocol of the browser's developer tools. */
  context(): BrowserContext
  isClosed(): boolean
  close(): Promise<void>
}

export interface BrowserContext {
  addCookies(cookies: { name: string; value: string; url: string }[]): Promise<void>
  newPage(): Promise<Page>
  close(): Promise<void>
  newCDPSession(page: Page): Promise<{
    send<Result>(method: string, parameters?: Record<string, unknown>): Promise<Result>
  }>
}

export interface Download {
  url(): string
  suggestedFilename(): string
  /** Resolves when the file is complete; fails when the download failed. */
  path(): Promise<string>
}

export interface PageResponse {
  url(): string
  status(): number
  headers(): Record<string, string>
  text(): Promise<string>
}

export interface ContextOptions {
  viewport?: { width: number; height: number }
  colorScheme?: 'light' | 'dark'
  locale?: string
  timezoneId?: string
  javaScriptEnabled?: boolean
  extraHTTPHeaders?: Record<string, string>
}

/** The exports of `playwright-core` that are used. */
export interface PlaywrightPackage {
  chromium: {
    launch(options: { executablePath: string; args: string[]; headless: boolean; timeout: number }): Promise<{
      newContext(options: ContextOptions): Promise<{ newPage(): Promise<Page>; setDefaultTimeout(ms: number): void }>
      close(): Promise<void>
    }>
  }
}
