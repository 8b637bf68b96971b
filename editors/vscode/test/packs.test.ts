import { describe, expect, it } from "vitest";
import * as vscode from "vscode";
import { chosenUris, packParams } from "../src/packRequests";
import { isRecipe, recipeUri } from "../src/recipeRequests";

const FOLDER = vscode.Uri.file("/work/shop/src");
const OTHER = vscode.Uri.file("/work/shop/lib");

describe("a project pack", () => {
  it("is of what was chosen in the explorer", () => {
    expect(chosenUris(FOLDER, [FOLDER, OTHER])).toEqual([FOLDER, OTHER]);
    expect(chosenUris(FOLDER, undefined)).toEqual([FOLDER]);
    expect(chosenUris(undefined, undefined)).toEqual([]);
    expect(chosenUris("src", ["lib"])).toEqual([]);
  });

  it("is asked for in the words of the protocol", () => {
    expect(packParams("summary", [FOLDER])).toEqual({
      type: "summary",
      uris: [FOLDER.toString()],
    });
  });

  it("can be copied as it is shown", () => {
    expect(isRecipe(recipeUri("Project Pack", "src, full"))).toBe(true);
  });
});
