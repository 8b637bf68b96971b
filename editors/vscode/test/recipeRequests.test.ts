import { describe, expect, it } from "vitest";
import * as vscode from "vscode";
import {
  changeOfGroup,
  fixParams,
  isRecipe,
  nearest,
  recipeUri,
  reviewParams,
} from "../src/recipeRequests";

const ROOT = vscode.Uri.file("/work/shop");

function diagnostic(line: number, more: Partial<vscode.Diagnostic> = {}): vscode.Diagnostic {
  const at = new vscode.Position(line, 2);
  return { range: { start: at, end: at }, message: "wrong", severity: 0, ...more } as never;
}

describe("a review", () => {
  const textDocument = { uri: "file:///work/shop/.gitignore" };

  it.each([
    [{ kind: "branch" }, {}],
    [{ kind: "staged" }, { base: "HEAD", staged: true }],
    [{ kind: "uncommitted" }, { base: "HEAD" }],
    [{ kind: "since", revision: " v1.0 " }, { base: "v1.0" }],
    [{ kind: "since", revision: "main..topic" }, { base: "main", head: "topic" }],
    [{ kind: "since", revision: "main...HEAD~2" }, { base: "main", head: "HEAD~2" }],
    [{ kind: "since", revision: "v1.2.." }, { base: "v1.2.." }],
  ] as const)("is of the change that was chosen: %j", (change, asked) => {
    expect(reviewParams(change, ROOT)).toEqual({ recipe: "review", textDocument, ...asked });
  });

  it.each([
    ["index", "staged"],
    ["workingTree", "uncommitted"],
    ["untracked", "uncommitted"],
    ["merge", "uncommitted"],
    ["other", undefined],
    ["", undefined],
  ])("of the group %j is of what the group holds", (group, kind) => {
    expect(changeOfGroup(group)?.kind).toBe(kind);
  });
});

describe("a fix", () => {
  const uri = vscode.Uri.file("/work/shop/app.py");

  it("has diagnostics in the words of the protocol", () => {
    const params = fixParams([
      [uri, [diagnostic(3, { source: "ruff", code: { value: "F821", target: uri } as never })]],
    ]);
    expect(params).toMatchObject({
      recipe: "fix",
      fileUris: [uri.toString()],
      textDocument: { uri: uri.toString() },
    });
    const place = { line: 3, character: 2 };
    expect(JSON.parse(params?.report ?? "")).toEqual({
      items: [
        {
          kind: "full",
          uri: uri.toString(),
          items: [
            {
              range: { start: place, end: place },
              message: "wrong",
              severity: 1,
              code: "F821",
              source: "ruff",
            },
          ],
        },
      ],
    });
  });

  it("is of code: what Sightline itself says and its own documents have no part in it", () => {
    const own = diagnostic(1, { source: "sightline" });
    expect(fixParams([[uri, [own]]])).toBeUndefined();
    expect(fixParams([[recipeUri("Fix Context", "a"), [diagnostic(1)]]])).toBeUndefined();
    expect(fixParams([])).toBeUndefined();
    expect(nearest([own], 1)).toEqual([]);
  });

  it("is of the line of the cursor, else of the file", () => {
    const found = [diagnostic(1), diagnostic(5)];
    expect(nearest(found, 5)).toEqual([found[1]]);
    expect(nearest(found, 9)).toEqual(found);
  });

  it("names at most fifty files", () => {
    const many = Array.from({ length: 80 }, (_, number) => {
      return [vscode.Uri.file(`/work/shop/${number}.py`), [diagnostic(1)]] as const;
    });
    expect(fixParams(many)?.fileUris?.length).toBe(50);
  });
});

describe("the document of a recipe", () => {
  it("says what it is about in a title that fits a tab", () => {
    expect(recipeUri("Fix Context", "a/b\u202e.py").path).toBe("/Fix Context: a-b-.py.md");
    expect(recipeUri("Issue Context", "x".repeat(300)).path.length).toBeLessThan(90);
  });

  it("is told from a bundle", () => {
    for (const title of ["Review Context", "Fix Context", "Issue Context", "Task Pack"]) {
      expect(isRecipe(recipeUri(title, "x"))).toBe(true);
    }
    expect(isRecipe(recipeUri("AI Context", "x"))).toBe(false);
    expect(isRecipe(vscode.Uri.file("/Fix Context: x.md"))).toBe(false);
    expect(isRecipe(undefined)).toBe(false);
  });
});
