// Prints where the TypeScript language service finds what each call and each base clause names:
// one JSON line [path, [[kind, line, column, name, receiver, definitions], …]] for each file named
// on standard input, relative to the root given as argument. Lines are 1-based, columns UTF-16.
//
// `definitions` is null where the service has no answer, else a list of [path, line, column], the
// path null where it leads out of the files that were named. `receiver` is what stands before the
// name: "" for nothing, a dotted name, "super()", "f()" for the result of a call, "?" for the rest.
// Packages of the workspace import one another by name, as they do once they are installed. A
// declaration file takes part where the root's configuration includes it or something imports it:
// `declare module` in any other would replace what it is meant to add to.
"use strict";

const fs = require("fs");
const path = require("path");
const ts = require("typescript");

const K = ts.SyntaxKind;
const root = fs.realpathSync(process.argv[2]);
const names = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
const visible = new Map(names.map((name) => [path.join(root, name), name]));
const { options, fileNames } = readConfiguration();
const service = createService();
const program = service.getProgram();

for (const [absolute, name] of visible) {
  const file = program.getSourceFile(absolute);
  if (file && file.parseDiagnostics.length === 0) {
    console.log(JSON.stringify([name, places(file)]));
  }
}

function createService() {
  const included = new Set(fileNames);
  const isRoot = (file) => !/\.d\.[cm]?ts$/.test(file) || included.has(file);
  const host = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...visible.keys()].filter(isRoot),
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) =>
      fs.existsSync(file) ? ts.ScriptSnapshot.fromString(fs.readFileSync(file, "utf8")) : undefined,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  };
  return ts.createLanguageService(host, ts.createDocumentRegistry());
}

function readConfiguration() {
  const file = path.join(root, "tsconfig.json");
  const written = fs.existsSync(file) ? ts.readConfigFile(file, ts.sys.readFile).config : {};
  const { options, fileNames } = ts.parseJsonConfigFileContent(written || {}, ts.sys, root);
  const ours = {
    baseUrl: options.baseUrl || root,
    paths: { ...packagePaths(), ...options.paths },
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: options.jsx || ts.JsxEmit.Preserve,
    experimentalDecorators: true,
    types: [],
    composite: false,
    incremental: false,
  };
  return { options: { ...options, ...ours }, fileNames };
}

function packagePaths() {
  const found = {};
  for (const folder of new Set([...visible.keys()].flatMap(foldersAbove))) {
    const manifest = path.join(folder, "package.json");
    if (folder === root || !fs.existsSync(manifest)) continue;
    const { name } = JSON.parse(fs.readFileSync(manifest, "utf8"));
    if (typeof name !== "string" || name in found) continue;
    found[name] = [path.join(folder, "src"), folder];
    found[`${name}/*`] = [path.join(folder, "*"), path.join(folder, "src", "*")];
  }
  return found;
}

function foldersAbove(file) {
  const folders = [];
  for (let at = path.dirname(file); at.startsWith(root); at = path.dirname(at)) folders.push(at);
  return folders;
}

function places(file) {
  const rows = [];
  visit(file);
  return rows;

  function visit(node) {
    switch (node.kind) {
      case K.CallExpression:
      case K.NewExpression:
        add("call", node.expression);
        break;
      case K.TaggedTemplateExpression:
        add("call", node.tag);
        break;
      case K.Decorator:
        if (!ts.isCallExpression(node.expression)) add("call", node.expression, "@");
        break;
      case K.JsxOpeningElement:
      case K.JsxSelfClosingElement:
        if (!ts.isIdentifier(node.tagName) || !/^[a-z]/.test(node.tagName.text)) {
          add("call", node.tagName);
        }
        break;
      case K.HeritageClause:
        for (const { expression } of node.types) {
          if (ts.isCallExpression(expression)) {
            expression.arguments.filter(ts.isIdentifier).forEach((each) => add("base", each));
          } else {
            add("base", expression);
          }
        }
        break;
    }
    ts.forEachChild(node, visit);
  }

  function add(kind, expression, mark) {
    const node = withoutWrapping(expression);
    const name = ts.isPropertyAccessExpression(node) ? node.name : node;
    if (!ts.isIdentifier(name) && !ts.isPrivateIdentifier(name)) return;
    const start = name.getStart(file);
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    const receiver = node === name ? mark || "" : receiverText(node.expression);
    rows.push([kind, line + 1, character, name.text, receiver, definitions(file, start)]);
  }
}

function withoutWrapping(node) {
  while (ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node)) node = node.expression;
  return node;
}

function receiverText(expression) {
  const node = withoutWrapping(expression);
  if (node.kind === K.ThisKeyword) return "this";
  if (node.kind === K.SuperKeyword) return "super()";
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return "f()";
  if (ts.isPropertyAccessExpression(node)) {
    const before = receiverText(node.expression);
    return /[?(]/.test(before) ? "?" : `${before}.${node.name.text}`;
  }
  return "?";
}

function definitions(file, position) {
  const found = service.getDefinitionAtPosition(file.fileName, position);
  if (!found || found.length === 0) return null;
  const rows = [];
  for (const each of found) {
    const target = program.getSourceFile(each.fileName);
    const specifier = target && importedFrom(target, each.textSpan.start);
    if (specifier === undefined) {
      const at = target.getLineAndCharacterOfPosition(named(target, each.textSpan.start));
      rows.push([visible.get(each.fileName) || null, at.line + 1, at.character]);
    } else if (!specifier.startsWith(".") && !isResolved(specifier, target)) {
      rows.push([null, 0, 0]);
    }
  }
  return rows.length ? rows : null;
}

// Where the name of a member stands whose value is the function at a position: the service leads to
// the function itself.
function named(file, position) {
  let node = file;
  for (let inner = node; inner; inner = ts.forEachChild(node, contains)) {
    node = inner;
    const holder = node.parent;
    const isFunction = ts.isArrowFunction(node) || ts.isFunctionExpression(node);
    if (isFunction && node.parameters.some((each) => each.getStart(file) === position)) break;
    if (isFunction && node.getStart(file) === position && holder.initializer === node) {
      return holder.name.getStart(file);
    }
  }
  return position;

  function contains(each) {
    return each.getStart(file) <= position && position < each.end ? each : undefined;
  }
}

function isResolved(specifier, file) {
  const found = ts.resolveModuleName(specifier, file.fileName, options, ts.sys);
  return found.resolvedModule !== undefined;
}

// The module that an import at this position names: the service stops there if it is not found.
function importedFrom(file, position) {
  for (const statement of file.statements) {
    if (statement.pos > position || statement.end <= position) continue;
    if (ts.isImportDeclaration(statement)) return statement.moduleSpecifier.text;
    if (ts.isImportEqualsDeclaration(statement)) {
      const reference = statement.moduleReference;
      return ts.isExternalModuleReference(reference) ? reference.expression.text : ".";
    }
  }
  return undefined;
}
