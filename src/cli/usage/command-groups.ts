/** How the help of genrun itself lists its commands: by what somebody is about to do. */
export const commandGroups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Begin', ['init', 'validate', 'models', 'models info', 'pricing', 'schema', 'explain', 'learn']],
  ['Make', ['run', 'plan', 'apply', 'watch', 'generate', 'result']],
  ['Look', ['report', 'why', 'graph', 'verify', 'status', 'journal']],
  ['Think again', ['redo', 'pick', 'accept', 'prune', 'resolve', 'adopt', 'recover']],
  ['Work with others', ['convert', 'import', 'gen-ai', 'mcp', 'serve', 'profile check', 'lock merge']],
  ['Set up', ['settings', 'doctor', 'completion']],
]
