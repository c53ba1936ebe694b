// Calls tools with the TypeScript SDK. Reads a JSON object from standard input: `server` has a `url` and `headers`, or a
// `command`, `args`, `env` and `cwd`; `calls` are pairs of a tool's name and its arguments. Prints the names of the listed
// tools and the results of the calls as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// The SDK is installed in the working directory.
const sdk = createRequire(`${process.cwd()}/`);
const { Client } = sdk("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = sdk("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = sdk("@modelcontextprotocol/sdk/client/streamableHttp.js");

const { server, calls } = JSON.parse(readFileSync(0, "utf8"));
const client = new Client({ name: "tests", version: "1" });
await client.connect(
  server.url
    ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
    : new StdioClientTransport(server),
);
const { tools } = await client.listTools();
const results = [];
for (const [name, given] of calls) results.push(await client.callTool({ name, arguments: given }));
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), results }));
await client.close();
