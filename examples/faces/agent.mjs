// An agent's side of `genrun mcp`, with the official client package: `node examples/faces/agent.mjs`. The server is
// started on stdio, rehearses, and may spend nothing.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [command = 'npx', ...words] = (process.env.GENRUN ?? 'npx genrun').split(' ')
const args = [...words, 'mcp', '--local', '--output', 'out/faces']
const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command, args }))

const { tools } = await client.listTools()
console.log(tools.map(tool => tool.name).join(' '))

// Every mistake at once, with what would be right.
const wrong = await client.callTool({ name: 'service_generate', arguments: { model: 'famc-v3', duration: 7 } })
for (const part of wrong.content) if (part.type === 'text') console.log(part.text)

const made = await client.callTool(
  { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'A teapot' } },
  { onprogress: ({ message }) => console.error(message) },
)
for (const part of made.content) if (part.type === 'resource_link') console.log(part.uri)

await client.close()
