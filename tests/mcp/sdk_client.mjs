// The official SDKs' clients against our server: sdk_client.mjs TOOLS v1|v2 URL|COMMAND…
// Writes one line of JSON with what each call gave; tests/mcp/official.py looks at it.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [tools, sdk, ...target] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${tools}/`));
const from = (name) => import(pathToFileURL(require.resolve(name)));

const v1 = sdk === 'v1';
const { Client } = await from(v1 ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await from(
    v1 ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');
const { StreamableHTTPClientTransport } = await from(
    v1 ? '@modelcontextprotocol/sdk/client/streamableHttp.js' : '@modelcontextprotocol/client');

const options = { capabilities: {} };
if (!v1) options.versionNegotiation = { mode: 'auto' };
const client = new Client({ name: 'official-sdk', version: '0' }, options);
const transport = target[0].startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(target[0]))
    : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: 'ignore' });
await client.connect(transport);

const failing = async (call) => call.catch((error) => ({ failure: error.message }));
const seen = {
    tools: (await client.listTools()).tools,
    text: await client.callTool({ name: 'read_file', arguments: { file_path: 'note.txt' } }),
    picture: await client.callTool({ name: 'view_image', arguments: { path: 'chart.png' } }),
    pages: await client.callTool({ name: 'pdf_pages', arguments: { path: 'report.pdf' } }),
    facts: await client.callTool({ name: 'describe_file', arguments: { path: 'report.pdf' } }),
    missing: await client.callTool({ name: 'read_file', arguments: { file_path: 'nothing.txt' } }),
    outside: await client.callTool({ name: 'read_file', arguments: { file_path: '/etc/hostname' } }),
    unknown: await failing(client.callTool({ name: 'no_such_tool', arguments: {} })),
    resources: (await client.listResources()).resources,
    templates: (await client.listResourceTemplates()).resourceTemplates,
};
const note = seen.resources.find((r) => r.name === 'note.txt' || r.uri.endsWith('/note.txt'));
seen.note = note ? await client.readResource({ uri: note.uri }) : null;
console.log(JSON.stringify(seen));
await client.close();
