/** What is asked of the server for a project pack. No client is needed to make it. */

import * as vscode from "vscode";
import type { BuildProjectPackParams } from "./protocol";

/** The request for a pack of some folders and files. */
export function packParams(type: string, uris: readonly vscode.Uri[]): BuildProjectPackParams {
  return {
    type: type as NonNullable<BuildProjectPackParams["type"]>,
    uris: uris.map((each) => each.toString()),
  };
}

/** What was chosen in the explorer: several with one command, or one. */
export function chosenUris(uri: unknown, uris: unknown): vscode.Uri[] {
  const all = Array.isArray(uris) ? uris.filter((each) => each instanceof vscode.Uri) : [];
  if (all.length > 0) {
    return all;
  }
  return uri instanceof vscode.Uri ? [uri] : [];
}
