// Starts `tcc lsp` and hands it to VS Code; everything else is the server's.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("tcc");
  const [command, ...args] = settings.get("command");
  for (const option of ["facts", "target"]) {
    const value = settings.get(option);
    if (value) args.push(`--${option}`, value);
  }
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new LanguageClient(
    "tcc",
    "tcc",
    { command, args, options: { cwd: folder } },
    {
      documentSelector: [{ language: "tcc" }],
      synchronize: {
        fileEvents: workspace.createFileSystemWatcher("**/{*.tcc,tcc.toml,pyproject.toml}"),
      },
    },
  );
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
