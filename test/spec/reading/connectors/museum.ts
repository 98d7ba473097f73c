import { defineLibrary } from '../thing.ts'

export default defineLibrary('museum', 'Museum')
