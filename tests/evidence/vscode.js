// Prints, for each file named, the scopes that VS Code's own tokenizer gives: one JSON line a file.
const fs = require("fs");
const path = require("path");
const modules = process.argv[2];
const { Registry, parseRawGrammar, INITIAL } = require(path.join(modules, "vscode-textmate"));
const oniguruma = require(path.join(modules, "vscode-oniguruma"));

async function main() {
  const wasm = fs.readFileSync(path.join(modules, "vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      parseRawGrammar(fs.readFileSync(process.argv[3], "utf8"), process.argv[3]),
  });
  const grammar = await registry.loadGrammar("source.tcc");
  for (const name of process.argv.slice(4)) {
    const found = [];
    let stack = INITIAL;
    for (const line of fs.readFileSync(name, "utf8").split("\n")) {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
      stack = ruleStack;
      for (const token of tokens) {
        if (token.scopes.length > 1) {
          found.push([token.scopes[token.scopes.length - 1],
            line.slice(token.startIndex, token.endIndex)]);
        }
      }
    }
    console.log(JSON.stringify([name, found]));
  }
}

main().catch((problem) => { console.error(problem); process.exit(1); });
