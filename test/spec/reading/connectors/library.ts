import { defineLibrary } from '../thing.ts'

export default defineLibrary('library', 'Library')
