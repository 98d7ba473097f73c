export const repoNames = [
  'bread-timer',
  'bridge-notes',
  'door-atlas',
  'slow-maps',
  'tide.tables',
  'synth-patches',
  'chess_clock',
  'night-trains',
  'dotfiles',
  'pate-feuilletee',
  'snowline',
  'soup-trade',
]

export const issueTitles = [
  'Timer stops when the oven door opens',
  'Crash on an empty calendar 💥',
  'Add Turkish translations (İ, ı, ş, ğ)',
  '日本語のファイル名で失敗する',
  'دعم الكتابة من اليمين إلى اليسار',
  'Distances are wrong across the 180° line',
  'Typo in README',
  'Ship `--dry-run`',
  'Memory grows overnight',
  'Question: is <b>bold</b> & "quoted" text escaped?',
]

export const commitMessages = [
  'Fix the rounding of half minutes',
  'Teach the parser about emoji 🥖\n\nThey are wider than they look.',
  'Перевод на русский',
  'Merge branch "main" into proofing',
  'Bump version',
  'Remove dead code (thanks, past me)',
  'ドキュメントを更新',
  'Handle 64-bit ids as text',
]

export const labelNames = ['bug', 'enhancement', 'good first issue', 'question', 'wontfix 🙅']
export const languages = ['TypeScript', 'Rust', 'Python', 'Shell', null]
