// Prints what the TypeScript compiler says of each file named on standard input: one JSON line
// [path, [[container, name, first line, last line], …]] for each file without syntax errors.
"use strict";

const fs = require("fs");
const ts = require("typescript");

const K = ts.SyntaxKind;

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = fs.readFileSync(path, "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  if (file.parseDiagnostics.length === 0) {
    console.log(JSON.stringify([path, declarations(file)]));
  }
}

function declarations(file) {
  const rows = [];
  visit(file, []);
  return rows;

  function visit(node, containers) {
    const found = declared(node);
    let inner = containers;
    if (found) {
      const around = found.isInHeader ? containers.slice(0, -1) : containers;
      if (!found.isHolder) {
        const first = line(withDoc(found.region));
        rows.push([around.join("."), found.name, first, line(found.region.end - 1)]);
      }
      if (!found.isInHeader) inner = [...containers, found.name];
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  }

  // The name a node declares and the node that is its region. A holder is a symbol that is not
  // compared, but that what stands in it belongs to.
  function declared(node) {
    switch (node.kind) {
      case K.FunctionDeclaration:
      case K.ClassDeclaration:
        return { name: node.name ? nameOf(node.name) : "default", region: node };
      case K.InterfaceDeclaration:
      case K.EnumDeclaration:
      case K.TypeAliasDeclaration:
      case K.ModuleDeclaration:
      case K.MethodDeclaration:
      case K.GetAccessor:
      case K.SetAccessor:
      case K.PropertyDeclaration:
        return { name: nameOf(node.name), region: node };
      case K.EnumMember:
        return { name: nameOf(node.name), region: node, isHolder: true };
      case K.Constructor:
        return { name: "constructor", region: node };
      case K.MethodSignature:
      case K.PropertySignature:
        return isMember(node) ? { name: nameOf(node.name), region: node } : null;
      case K.Parameter:
        if (!ts.isParameterPropertyDeclaration(node, node.parent)) return null;
        return { name: nameOf(node.name), region: node, isInHeader: true };
      case K.PropertyAssignment:
        return isNameless(node.initializer) ? { name: nameOf(node.name), region: node } : null;
      case K.VariableDeclaration:
        return declaredVariable(node);
      case K.FunctionExpression:
      case K.ClassExpression:
        return node.name && !isBound(node) ? { name: nameOf(node.name), region: node } : null;
      case K.ExportAssignment:
        return declaredDefault(node);
      default:
        return null;
    }
  }

  function declaredVariable(node) {
    const statement = ts.isVariableStatement(node.parent.parent) ? node.parent.parent : node.parent;
    const name = nameOf(node.name);
    if (isNameless(node.initializer)) return { name, region: statement };
    const isTopLevel =
      ts.isVariableStatement(statement) &&
      (ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent));
    if (!isTopLevel || !ts.isIdentifier(node.name)) return null;
    if (node.initializer && /^require\(/.test(node.initializer.getText(file))) return null;
    return { name, region: statement, isHolder: true };
  }

  function declaredDefault(node) {
    if (node.isExportEquals) return null;
    if (isFunction(node.expression)) {
      return node.expression.name ? null : { name: "default", region: node };
    }
    const holders = [
      K.ObjectLiteralExpression,
      K.CallExpression,
      K.NewExpression,
      K.ArrayLiteralExpression,
      K.AsExpression,
      K.SatisfiesExpression,
    ];
    if (!holders.includes(node.expression.kind)) return null;
    return { name: "default", region: node, isHolder: true };
  }

  // The start of the doc comment directly above: no blank line between, and other comments are
  // passed over on the way up.
  function withDoc(node) {
    const text = file.text;
    let first = node.getStart(file);
    let position = first;
    const comments = ts.getLeadingCommentRanges(text, node.pos) || [];
    for (const comment of [...comments].reverse()) {
      const between = text.slice(comment.end, position);
      if ((between.match(/\r\n|\n|\r/g) || []).length > 1) break;
      const before = text.slice(text.lastIndexOf("\n", comment.pos - 1) + 1, comment.pos);
      if (/\S/.test(before) && line(comment.pos) !== line(position)) break;
      if (/^\/\*\*(?!\/)/.test(text.slice(comment.pos, comment.end))) first = comment.pos;
      position = comment.pos;
    }
    return first;
  }

  function line(position) {
    return file.getLineAndCharacterOfPosition(position).line + 1;
  }

  function nameOf(name) {
    if (ts.isStringLiteral(name) || ts.isNoSubstitutionTemplateLiteral(name)) {
      return name.getText(file).slice(1, -1);
    }
    return name.getText(file);
  }
}

// Members of interfaces and of `type T = { … }`; those of other type literals have no owner.
function isMember(node) {
  if (ts.isInterfaceDeclaration(node.parent)) return true;
  return ts.isTypeLiteralNode(node.parent) && ts.isTypeAliasDeclaration(node.parent.parent);
}

function isFunction(node) {
  return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
}

// Something that takes its name from what it is bound to.
function isNameless(node) {
  return isFunction(node) || (node !== undefined && ts.isClassExpression(node));
}

// A function or class expression that something else gives its name.
function isBound(node) {
  const parent = node.parent;
  return (
    ts.isVariableDeclaration(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isPropertyDeclaration(parent) ||
    (ts.isBinaryExpression(parent) && parent.operatorToken.kind === K.EqualsToken)
  );
}
