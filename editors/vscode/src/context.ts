/**
 * The language server and its life: found, started, watched, started again.
 *
 * Invariant: the status of an old server is never shown for a new one, and what the server says
 * first is never overwritten by what we say about its start.
 */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  TransportKind,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import type { Found, NotFound } from "./discovery";
import {
  BUDGET_STATUS,
  BUILD_CONTEXT_COMMAND,
  DID_CHANGE_ACTIVE_FILE,
  type BudgetStatusParams,
  type BuildContextParams,
  type DidChangeActiveFileParams,
} from "./protocol";
import { Restarts } from "./restarts";
import { sentSettings } from "./settings";

/** What a person has to know about the server. */
export type ServerState =
  | { readonly kind: "starting" | "running" | "stopped" }
  | { readonly kind: "restarting" | "missing" | "wrong" | "failed"; readonly message: string };

/** There is no server to ask; the person has been told why. */
export class ServerUnavailableError extends Error {}

export interface Surroundings {
  readonly log: vscode.LogOutputChannel;
  /** A folder that no workspace can put files into. */
  readonly safeFolder: string;
  find(): Promise<Found | NotFound>;
  /** What the server's own code lenses and code actions ask for. */
  build(params: BuildContextParams): Promise<unknown>;
  /** Tell the person what came of a command of the server. */
  tellAnswer(command: string, args: readonly unknown[], answer: unknown): void;
  /** Say that the server is missing or broken, as its state has it, and offer what helps. */
  explain(): void;
}

const START_MILLISECONDS = 60_000;
const STOP_MILLISECONDS = 4000;
/** Instead of the library's words, which could have a piece of a message in them. */
const NO_MESSAGE = "The server sent something that was no message.";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;
  private currentState: ServerState = { kind: "stopped" };
  private currentStatus: BudgetStatusParams | undefined;
  private hasFocus = false;
  private readonly restarts = new Restarts();
  private readonly settings: vscode.Disposable;
  private readonly stateEmitter = new vscode.EventEmitter<ServerState>();
  private readonly statusEmitter = new vscode.EventEmitter<BudgetStatusParams | undefined>();
  private readonly readyEmitter = new vscode.EventEmitter<void>();

  readonly onDidChangeState = this.stateEmitter.event;
  readonly onDidChangeStatus = this.statusEmitter.event;
  /** The server takes messages, for the first time or again after a crash. */
  readonly onDidGetReady = this.readyEmitter.event;

  constructor(private readonly surroundings: Surroundings) {
    this.settings = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("sightline")) {
        // The server asks for what it wants to know.
        this.notify("workspace/didChangeConfiguration", { settings: null });
      }
    });
  }

  get state(): ServerState {
    return this.currentState;
  }

  get status(): BudgetStatusParams | undefined {
    return this.currentStatus;
  }

  /** Find and start the server. Its failure is told to the person and is no error of this. */
  start(): Promise<void> {
    return this.startWith(() => this.findAndLaunch());
  }

  async restart(): Promise<void> {
    await this.starting;
    await this.stop();
    this.restarts.forget();
    await this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.setStatus(undefined);
    this.setState({ kind: "stopped" });
    try {
      await client?.dispose(STOP_MILLISECONDS);
    } catch (error) {
      this.surroundings.log.warn(`The server did not stop as it should: ${messageOf(error)}`);
    }
  }

  async request<R>(method: string, params: object, token?: vscode.CancellationToken): Promise<R> {
    const client = await this.running();
    // A token that is undefined would be sent along as one more parameter.
    return token === undefined
      ? client.sendRequest<R>(method, params)
      : client.sendRequest<R>(method, params, token);
  }

  /** Run a command of the server itself. */
  async command<R>(command: string, ...args: readonly unknown[]): Promise<R> {
    return this.request<R>("workspace/executeCommand", { command, arguments: args });
  }

  /** Tell the server something, if there is one; one that ends meanwhile is told later. */
  notify(method: string, params: object): void {
    if (this.client?.state === State.Running) {
      this.client.sendNotification(method, params).catch((error: unknown) => {
        this.surroundings.log.debug(`${method} was not sent: ${messageOf(error)}`);
      });
    }
  }

  /** Tell the server which file and place are worked on. What it counted is of no other one. */
  focus(params: DidChangeActiveFileParams): void {
    this.hasFocus = params.textDocument != null;
    if (!this.hasFocus) {
      this.setStatus(undefined);
    }
    this.notify(DID_CHANGE_ACTIVE_FILE, params);
  }

  /** Wait until the server can be asked. */
  async ready(): Promise<void> {
    await this.running();
  }

  dispose(): void {
    void this.stop();
    this.settings.dispose();
    this.stateEmitter.dispose();
    this.statusEmitter.dispose();
    this.readyEmitter.dispose();
  }

  private async running(): Promise<LanguageClient> {
    if (this.client === undefined) {
      await this.start();
    }
    await this.starting;
    const client = this.client;
    if (client === undefined) {
      throw new ServerUnavailableError();
    }
    return client;
  }

  /** No two starts at once: whoever asks meanwhile waits for the one that is under way. */
  private startWith(work: () => Promise<void>): Promise<void> {
    this.starting ??= work().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  private async findAndLaunch(): Promise<void> {
    this.setState({ kind: "starting" });
    const found = await this.surroundings.find();
    if (found.kind !== "found") {
      this.fail(found);
      return;
    }
    const problem = await this.launch(found);
    if (problem !== undefined) {
      this.fail({ kind: "failed", message: problem });
    }
  }

  /** Start the server that was found; the problem if it cannot be. */
  private async launch(found: Found): Promise<string | undefined> {
    const { log, safeFolder } = this.surroundings;
    log.info(`Starting ${[found.command, ...found.args].join(" ")} (${found.origin})`);
    const client: LanguageClient = new QuietClient(
      "sightline",
      "Sightline",
      {
        command: found.command,
        args: [...found.args, "lsp"],
        transport: TransportKind.stdio,
        // A working directory in the workspace would let its files be imported by the server.
        options: { cwd: safeFolder },
      },
      this.clientOptions(() => this.closed(client, found)),
    );
    this.client = client;
    client.onNotification(BUDGET_STATUS, (status: BudgetStatusParams) => {
      if (this.client === client && this.hasFocus) {
        this.setStatus(status);
      }
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running && this.client === client) {
        this.setState({ kind: "running" });
      }
    });
    try {
      await withinTime(client.start());
    } catch (error) {
      log.error(`The server did not start: ${messageOf(error)}`);
      if (this.client === client) {
        this.client = undefined;
      }
      client.dispose().catch(() => undefined);
      return `Sightline's server did not start (${found.origin}: ${found.command}).`;
    }
    if (this.client !== client) {
      return "Sightline's server ended as soon as it had started.";
    }
    this.readyEmitter.fire();
    return undefined;
  }

  private clientOptions(closed: () => void): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      diagnosticCollectionName: "sightline",
      outputChannel: this.surroundings.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      middleware: {
        workspace: {
          configuration: async (params, token, next) => {
            const sections = await next(params, token);
            return Array.isArray(sections) ? sections.map(sentSettings) : sections;
          },
        },
        executeCommand: async (command, args, next) => {
          if (command === BUILD_CONTEXT_COMMAND) {
            return this.surroundings.build((args[0] ?? {}) as BuildContextParams);
          }
          const answer: unknown = await next(command, args);
          this.surroundings.tellAnswer(command, args, answer);
          return answer;
        },
      },
      errorHandler: {
        error: (_error, _message, count) => ({
          action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
          message: NO_MESSAGE,
          handled: true,
        }),
        closed: () => {
          closed();
          // A new client is made for a new server: what a half started one holds is its own.
          const message = "The connection to the server is closed.";
          return { action: CloseAction.DoNotRestart, handled: true, message };
        },
      },
    };
  }

  /** The connection is gone and nobody asked for it. */
  private closed(client: LanguageClient, found: Found): void {
    if (this.client === client && client.state === State.Running) {
      this.client = undefined;
      this.setStatus(undefined);
      void this.startWith(() => this.launchAgain(found));
    }
  }

  private async launchAgain(found: Found): Promise<void> {
    for (;;) {
      const delay = this.restarts.next(Date.now());
      if (delay === undefined) {
        const message = "Sightline's server ended several times in a row and is left alone now.";
        this.fail({ kind: "failed", message });
        return;
      }
      const message = "Sightline's server ended and is started again.";
      this.surroundings.log.warn(message);
      this.setState({ kind: "restarting", message });
      await new Promise((resolve) => setTimeout(resolve, delay));
      if ((await this.launch(found)) === undefined) {
        return;
      }
    }
  }

  private fail(state: ServerState & { readonly message: string }): void {
    this.setState(state);
    this.surroundings.explain();
  }

  private setState(state: ServerState): void {
    this.currentState = state;
    const isRunning = state.kind === "running";
    void vscode.commands.executeCommand("setContext", "sightline.isRunning", isRunning);
    this.stateEmitter.fire(state);
  }

  private setStatus(status: BudgetStatusParams | undefined): void {
    this.currentStatus = status;
    this.statusEmitter.fire(status);
  }
}

/** What goes wrong is logged by the library and told by us, once. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** A server that says nothing is as good as none. */
async function withinTime(started: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it did not answer in time")), START_MILLISECONDS);
  });
  try {
    await Promise.race([started, late]);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
