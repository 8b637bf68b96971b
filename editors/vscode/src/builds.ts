/** Builds: asking for one, showing it, and building again with a file more or less. */

import * as vscode from "vscode";
import { Server, ServerUnavailableError } from "./context";
import { Documents, bundleUri } from "./documents";
import { grouped } from "./numbers";
import {
  BUILD_CONTEXT,
  type BudgetStatusParams,
  type BuildContextAnswer,
  type BuildContextParams,
  type BuildResult,
} from "./protocol";
import { resolveRefusal } from "./refusals";
import { changed, folderOf, type Change } from "./requests";

export type { Change };

export interface Built {
  readonly params: BuildContextParams;
  readonly result: BuildResult;
  /** The root that paths of blocks are relative to. */
  readonly folder: vscode.Uri;
}

export interface Builds {
  readonly current: Built | undefined;
  /** Fired for refusals as well. */
  readonly onDidBuild: vscode.Event<Built>;
  /** Build, with progress that can be cancelled, and open the document or offer what helps. */
  build(params: BuildContextParams): Promise<Built | undefined>;
  /** Build and put the text into the clipboard; nothing opens. */
  copy(params: BuildContextParams): Promise<Built | undefined>;
  /** Build again with files added to the current build, dropped from it or taken back into it. */
  rebuild(change: Change): Promise<Built | undefined>;
  openDocument(built: Built): Promise<void>;
}

/** True if a build was made from part of the index and the server now says that all is read. */
export function canBeCompleted(
  built: Built | undefined,
  status: BudgetStatusParams | undefined,
): boolean {
  return (
    built !== undefined &&
    built.result.refusal === null &&
    !built.result.index_complete &&
    status !== undefined &&
    status.indexComplete
  );
}

type Show = (built: Built) => Promise<void>;

const QUICK_MILLISECONDS = 700;
const MESSAGE_MILLISECONDS = 8000;
const MOST_OVERTAKEN = 3;
const CONTENT_MODIFIED = -32801;
const CANCELLED = -32800;

export function createBuilds(
  server: Server,
  documents: Documents,
  log: vscode.LogOutputChannel,
): Builds & vscode.Disposable {
  const emitter = new vscode.EventEmitter<Built>();
  let current: Built | undefined;
  let offered: Built | undefined;

  async function offerComplete(): Promise<void> {
    const built = current;
    if (built === undefined || built === offered || !canBeCompleted(built, server.status)) {
      return;
    }
    offered = built;
    const chosen = await vscode.window.showInformationMessage(
      "The index is complete now. The AI context was built from a part of it.",
      "Build Again",
    );
    if (chosen === "Build Again" && current === built) {
      await run({ ...built.params, takeIncomplete: false }, openDocument);
    }
  }

  async function run(params: BuildContextParams, show: Show): Promise<Built | undefined> {
    const waits = params.takeIncomplete !== true && server.status?.indexComplete === false;
    const title = waits ? "Building AI context, waiting for the index" : "Building AI context";
    const result = await answerOf<BuildContextAnswer>(server, BUILD_CONTEXT, params, log, title);
    if (result === undefined) {
      return undefined;
    }
    const built: Built = { params, result, folder: folderOf(params) };
    current = built;
    void vscode.commands.executeCommand("setContext", "sightline.hasBuild", true);
    emitter.fire(built);
    if (result.refusal === null) {
      await show(built);
      return built;
    }
    const again = await resolveRefusal(built, result.refusal, server);
    return again === undefined ? built : run(again, show);
  }

  async function openDocument(built: Built): Promise<void> {
    const rendered = built.result.rendered;
    if (rendered === null) {
      return;
    }
    await documents.show(bundleUri(built), rendered, built);
    const report = built.result.budget_report;
    const blocks = built.result.bundle?.blocks.length ?? 0;
    const partly = built.result.index_complete ? "" : ", the index is not complete yet";
    vscode.window.setStatusBarMessage(
      `$(check) AI context: ${grouped(report?.estimated_input_tokens ?? 0)} tokens in ${blocks} blocks${partly}`,
      MESSAGE_MILLISECONDS,
    );
  }

  async function toClipboard(built: Built): Promise<void> {
    await vscode.env.clipboard.writeText(built.result.rendered ?? "");
    const tokens = built.result.budget_report?.estimated_input_tokens ?? 0;
    vscode.window.setStatusBarMessage(
      `$(copy) AI context copied: ${grouped(tokens)} tokens`,
      MESSAGE_MILLISECONDS,
    );
  }

  const following = server.onDidChangeStatus(() => void offerComplete());

  return {
    get current() {
      return current;
    },
    onDidBuild: emitter.event,
    build: (params) => run(params, openDocument),
    copy: (params) => run(params, toClipboard),
    rebuild: async (change) =>
      current === undefined ? undefined : run(changed(current.params, change), openDocument),
    openDocument,
    dispose: () => {
      following.dispose();
      emitter.dispose();
    },
  };
}

/** The server's answer; undefined where there is none, which the person has been told. */
export async function answerOf<R>(
  server: Server,
  method: string,
  params: object,
  log: vscode.LogOutputChannel,
  title: string,
): Promise<R | undefined> {
  const source = new vscode.CancellationTokenSource();
  const { token } = source;
  // A server that hangs does not answer that it was cancelled, either.
  const asked = Promise.race([ask<R>(server, method, params, token), cancellation(token)]);
  const timer = setTimeout(() => showProgress(asked, source, title), QUICK_MILLISECONDS);
  try {
    return await asked;
  } catch (error) {
    if (source.token.isCancellationRequested || codeOf(error) === CANCELLED) {
      return undefined;
    }
    if (!(error instanceof ServerUnavailableError)) {
      log.error(`A build failed: ${messageOf(error)}`);
      void offerAgain(server, messageOf(error));
    }
    return undefined;
  } finally {
    clearTimeout(timer);
    source.dispose();
  }
}

function cancellation(token: vscode.CancellationToken): Promise<never> {
  return new Promise((_, reject) => {
    token.onCancellationRequested(() => reject(new vscode.CancellationError()));
  });
}

/** A build that a change of settings or the server's end overtook is asked for again. */
async function ask<R>(
  server: Server,
  method: string,
  params: object,
  token: vscode.CancellationToken,
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await server.request<R>(method, params, token);
    } catch (error) {
      const isOvertaken = codeOf(error) === CONTENT_MODIFIED || server.state.kind === "restarting";
      if (!isOvertaken || attempt === MOST_OVERTAKEN) {
        throw error;
      }
    }
  }
}

/** A quick build shows nothing but its result. */
function showProgress(
  asked: Promise<unknown>,
  source: vscode.CancellationTokenSource,
  title: string,
): void {
  void vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title,
      cancellable: true,
    },
    async (_, token) => {
      token.onCancellationRequested(() => source.cancel());
      await asked.catch(() => undefined);
    },
  );
}

async function offerAgain(server: Server, problem: string): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(
    `Sightline could not build the context: ${problem}`,
    "Restart Server",
    "Show Log",
  );
  if (chosen === "Restart Server") {
    await server.restart();
  } else if (chosen === "Show Log") {
    await vscode.commands.executeCommand("sightline.showLog");
  }
}

function codeOf(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "number" ? code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
