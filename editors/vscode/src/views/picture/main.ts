/**
 * The panel's own script. It draws whatever picture it was sent last; names of files become text
 * nodes and attribute values, never markup.
 */

import { grouped } from "../../numbers";
import { tokenWords } from "../words";
import type { FromPanel, Picture, Row, ToPanel } from "./model";
import "./style.css";

declare function acquireVsCodeApi(): { postMessage(message: FromPanel): void };

type Attributes = Readonly<Record<string, string>>;

const host = acquireVsCodeApi();
const page = document.getElementById("picture") as HTMLElement;
const announcer = element("p", { class: "announcer", role: "status" });
document.body.append(announcer);

/** The row that Tab comes to: the one that had the focus last. */
let rowAtTab = 0;
let announced = "";

window.addEventListener("message", (event: MessageEvent<ToPanel>) => draw(event.data.picture));
host.postMessage({ kind: "ready" });

function draw(picture: Picture): void {
  const focused = document.activeElement?.getAttribute("data-focus") ?? null;
  const isOpen = page.querySelector("details")?.open ?? false;
  rowAtTab = Math.min(rowAtTab, Math.max(0, picture.rows.length - 1));
  page.replaceChildren(
    header(picture),
    ...moved(picture),
    ...message(picture),
    ...(picture.hard > 0 ? [budget(picture)] : []),
    ...(picture.rows.length > 0 ? [table(picture)] : []),
    ...(picture.notes.length > 0 ? [notes(picture, isOpen)] : []),
  );
  page.setAttribute("aria-busy", "false");
  if (focused !== null) {
    page.querySelector<HTMLElement>(`[data-focus="${focused}"]`)?.focus({ preventScroll: true });
  }
  announce(picture);
}

/** Numbers change with every key, so only a change of verdict is said aloud. */
function announce(picture: Picture): void {
  const words = [picture.name, picture.verdict].filter((each) => each !== "").join(": ");
  if (words !== announced) {
    announced = words;
    announcer.textContent = words;
  }
}

function header(picture: Picture): HTMLElement {
  const about = [picture.file, ...picture.facts].filter(
    (each) => each !== "" && each !== picture.name,
  );
  return element(
    "header",
    {},
    element(
      "div",
      { class: "title" },
      element(
        "h1",
        {},
        element("bdi", {}, picture.name || "AI Context Budget"),
        ...(picture.state === "live" ? [element("span", { class: "live" }, "live")] : []),
      ),
      element("p", { class: "about" }, about.join(" · ")),
    ),
    ...(picture.hard > 0 ? [amount(picture)] : []),
    actions(picture),
  );
}

function amount(picture: Picture): HTMLElement {
  return element(
    "p",
    { class: "amount" },
    element("strong", {}, grouped(picture.tokens)),
    element("span", { class: "of" }, ` of ${tokenWords(picture.hard)}`),
    verdict(picture),
  );
}

function verdict(picture: Picture): HTMLElement {
  const marks = { ok: "✓", warn_soft_limit: "!", refuse_hard_limit: "✕", none: "–" };
  return element(
    "span",
    { class: `verdict ${picture.decision}` },
    element("span", { class: "mark", "aria-hidden": "true" }, marks[picture.decision]),
    picture.verdict,
  );
}

function actions(picture: Picture): HTMLElement {
  const buttons =
    picture.state === "live" && picture.decision !== "none"
      ? [button("build", "Build AI Context", "primary")]
      : picture.state === "built"
        ? [button("rebuild", "Rebuild", "secondary"), button("manifest", "Manifest", "secondary")]
        : picture.state === "refused"
          ? [button("rebuild", "Try Again", "secondary")]
          : [];
  return element("div", { class: "actions" }, ...buttons);
}

function button(command: string, words: string, look: string): HTMLElement {
  const made = element(
    "button",
    { type: "button", class: look, "data-focus": `button-${command}` },
    words,
  );
  made.addEventListener("click", () => host.postMessage({ kind: "run", command }));
  return made;
}

function moved(picture: Picture): HTMLElement[] {
  return picture.movedOn === null
    ? []
    : [
        element(
          "aside",
          { class: "moved" },
          element("span", {}, `${picture.movedOn}.`),
          button("build", "Build for It", "link"),
        ),
      ];
}

function message(picture: Picture): HTMLElement[] {
  return picture.message === null
    ? []
    : [element("p", { class: `message ${picture.state}` }, picture.message)];
}

/** The window to scale, and below it what is used of it, enlarged. */
function budget(picture: Picture): HTMLElement {
  return element(
    "section",
    { class: "budget", "aria-label": "Budget" },
    windowBar(picture),
    ...(picture.rows.length > 0 ? [lens(picture), blockBar(picture)] : []),
    legend(picture),
  );
}

function windowBar(picture: Picture): HTMLElement {
  const size = windowSize(picture);
  const whole = picture.hard + (picture.reserve ?? 0);
  const at = (tokens: number): number => (tokens / size) * 100;
  const parts =
    picture.rows.length > 0
      ? [
          ...picture.sums.map((each) => part(each.priority, at(each.tokens))),
          part("frame", at(picture.framing.tokens)),
        ]
      : [part(picture.decision === "refuse_hard_limit" ? "over" : "frame", at(picture.tokens))];
  const reserve = picture.reserve ?? 0;
  const kept = element("span", { class: "reserve" });
  kept.style.left = `${at(picture.hard)}%`;
  kept.style.width = `${at(reserve)}%`;
  const spoken =
    `${picture.tokens} of ${picture.hard} tokens are used. Soft limit ${picture.soft}, ` +
    `hard limit ${picture.hard}` +
    (reserve > 0 ? `, ${reserve} of the window of ${whole} are kept for the answer.` : ".");
  return element(
    "div",
    { class: "window", role: "img", "aria-label": spoken },
    limit("hard", `hard limit ${grouped(picture.hard)}`, at(picture.hard)),
    limit("soft", `soft limit ${grouped(picture.soft)}`, at(picture.soft)),
    element(
      "div",
      { class: "bar" },
      ...parts,
      ...(reserve > 0 ? [kept] : []),
      tick("soft", at(picture.soft)),
      tick("hard", at(picture.hard)),
    ),
  );
}

/** What does not fit still has to be seen. */
function windowSize(picture: Picture): number {
  return Math.max(picture.hard + (picture.reserve ?? 0), picture.tokens, 1);
}

function part(kind: string, width: number): HTMLElement {
  const made = element("span", { class: `part ${kind}` });
  made.style.width = `${width}%`;
  return made;
}

function tick(kind: string, left: number): HTMLElement {
  const made = element("span", { class: `tick ${kind}` });
  made.style.left = `${left}%`;
  return made;
}

/** Its words end at the tick, or begin there where that would leave the picture. */
function limit(kind: string, words: string, left: number): HTMLElement {
  const made = element("span", { class: `limit ${kind}` }, element("span", {}, words));
  if (left < 50) {
    made.style.marginLeft = `${left}%`;
  } else {
    made.style.marginRight = `${100 - left}%`;
    made.classList.add("before");
  }
  return made;
}

function lens(picture: Picture): Element {
  const used = (picture.tokens / windowSize(picture)) * 100;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
  shape.setAttribute("points", `0,0 ${used},0 100,10 0,10`);
  svg.setAttribute("viewBox", "0 0 100 10");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "lens");
  svg.setAttribute("aria-hidden", "true");
  svg.append(shape);
  return svg;
}

/** The table says the same in words, so this bar is silent. */
function blockBar(picture: Picture): HTMLElement {
  const parts = picture.rows.map((row, index) => {
    const made = part(row.priority, 0);
    made.style.width = "";
    made.style.flexGrow = String(row.tokens);
    made.setAttribute("title", `${row.title}: ${tokenWords(row.tokens)}, ${row.share}%`);
    made.setAttribute("data-row", String(index));
    if (row.share >= 12) {
      made.append(element("bdi", { class: "name" }, shortName(row.title)));
    }
    made.addEventListener("mouseenter", () => mark(index));
    made.addEventListener("mouseleave", () => mark(null));
    if (row.opens) {
      made.addEventListener("click", () => host.postMessage({ kind: "open", row: index }));
      made.classList.add("opens");
    }
    return made;
  });
  const frame = part("frame", 0);
  frame.style.width = "";
  frame.style.flexGrow = String(picture.framing.tokens);
  frame.setAttribute("title", `Frame: ${tokenWords(picture.framing.tokens)}`);
  return element("div", { class: "bar blocks", "aria-hidden": "true" }, ...parts, frame);
}

function shortName(title: string): string {
  return title.slice(title.lastIndexOf("/") + 1);
}

function legend(picture: Picture): HTMLElement {
  const items = picture.sums.map((each) =>
    legendItem(
      each.priority,
      `${each.priority} `,
      each.words,
      `${grouped(each.tokens)} · ${each.share}%`,
    ),
  );
  if (picture.reserve !== null && picture.reserve > 0) {
    items.push(legendItem("reserve", "", "Kept for the answer", grouped(picture.reserve)));
  }
  return element("ul", { class: "legend", "aria-label": "Tokens by priority" }, ...items);
}

function legendItem(kind: string, name: string, words: string, numbers: string): HTMLElement {
  return element(
    "li",
    {},
    element("span", { class: `swatch part ${kind}`, "aria-hidden": "true" }),
    element("span", {}, element("b", {}, name), `${words} `),
    element("span", { class: "number" }, numbers),
  );
}

function table(picture: Picture): HTMLElement {
  // A live status does not tell levels.
  const hasLevels = picture.rows.some((row) => row.level !== "");
  const names = ["Block", "Priority", ...(hasLevels ? ["Level"] : []), "Tokens", "Share"];
  const heads = names.map((words) =>
    element("th", { scope: "col", role: "columnheader", class: words.toLowerCase() }, words),
  );
  const widest = Math.max(...picture.rows.map((row) => row.tokens), 1);
  const made = element(
    "table",
    { role: "grid", "aria-label": "Blocks, in the order of the bundle" },
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads)),
    element(
      "tbody",
      { role: "rowgroup" },
      ...picture.rows.map((row, index) => blockRow(row, index, widest, hasLevels)),
    ),
    element(
      "tfoot",
      { role: "rowgroup" },
      ...sums(picture, hasLevels ? "3" : "2"),
    ),
  );
  made.addEventListener("keydown", onTableKey);
  return made;
}

function blockRow(row: Row, index: number, widest: number, hasLevels: boolean): HTMLElement {
  const spoken = [
    row.title,
    row.priority,
    row.level,
    row.why,
    tokenWords(row.tokens),
    `${row.share} percent`,
    row.opens ? "Enter opens the source" : "",
  ];
  const meter = element("span", { class: `meter part ${row.priority}`, "aria-hidden": "true" });
  meter.style.width = `${(row.tokens / widest) * 100}%`;
  const made = element(
    "tr",
    {
      role: "row",
      tabindex: index === rowAtTab ? "0" : "-1",
      "data-row": String(index),
      "data-focus": `row-${index}`,
      "aria-label": spoken.filter((each) => each !== "").join(", "),
      class: row.opens ? "opens" : "",
    },
    element(
      "td",
      { role: "gridcell", class: "block" },
      element("bdi", { class: "name" }, row.title),
      ...(row.why === "" ? [] : [element("span", { class: "why" }, row.why)]),
    ),
    element(
      "td",
      { role: "gridcell", class: "priority" },
      element("span", { class: `swatch part ${row.priority}`, "aria-hidden": "true" }),
      row.priority,
    ),
    ...(hasLevels ? [element("td", { role: "gridcell", class: "level" }, row.level)] : []),
    element("td", { role: "gridcell", class: "tokens" }, grouped(row.tokens)),
    element(
      "td",
      { role: "gridcell", class: "share" },
      element("span", { class: "track", "aria-hidden": "true" }, meter),
      element("span", { class: "percent" }, `${row.share}%`),
    ),
  );
  made.addEventListener("focus", () => {
    rowAtTab = index;
    for (const each of rows()) {
      each.tabIndex = each === made ? 0 : -1;
    }
    mark(index);
  });
  made.addEventListener("blur", () => mark(null));
  made.addEventListener("mouseenter", () => mark(index));
  made.addEventListener("mouseleave", () => mark(null));
  if (row.opens) {
    made.addEventListener("click", () => host.postMessage({ kind: "open", row: index }));
  }
  return made;
}

function sums(picture: Picture, span: string): HTMLElement[] {
  const lines = [
    ["Frame around the blocks", picture.framing.tokens, `${picture.framing.share}%`, ""],
    ["Total", picture.tokens, "100%", "total"],
    ["Free", picture.hard - picture.tokens, "", "free"],
  ] as const;
  return lines.map(([words, tokens, share, kind]) =>
    element(
      "tr",
      { role: "row", class: kind },
      element("th", { role: "rowheader", scope: "row", colspan: span }, words),
      element("td", { role: "gridcell", class: "tokens" }, grouped(tokens)),
      element(
        "td",
        { role: "gridcell", class: "share" },
        element("span", { class: "percent" }, share),
      ),
    ),
  );
}

function onTableKey(event: KeyboardEvent): void {
  const all = rows();
  const at = all.indexOf(document.activeElement as HTMLElement);
  const current = all[at];
  if (current === undefined) {
    return;
  }
  const goals: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(at + 1, all.length - 1),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: all.length - 1,
  };
  const goal = goals[event.key];
  if (goal !== undefined) {
    event.preventDefault();
    all[goal]?.focus();
  } else if (event.key === "Enter" && current.classList.contains("opens")) {
    event.preventDefault();
    host.postMessage({ kind: "open", row: at });
  }
}

function rows(): HTMLElement[] {
  return [...page.querySelectorAll<HTMLElement>("tbody tr")];
}

/** A row and its part of the bar stand out together. */
function mark(index: number | null): void {
  for (const each of page.querySelectorAll("[data-row]")) {
    each.classList.toggle("marked", each.getAttribute("data-row") === String(index));
  }
}

function notes(picture: Picture, isOpen: boolean): HTMLElement {
  const made = element(
    "details",
    isOpen ? { open: "" } : {},
    element("summary", { "data-focus": "notes" }, "How it was counted and made to fit"),
    element("ul", {}, ...picture.notes.map((each) => element("li", {}, each))),
  );
  return made;
}

/** Children that are strings become text. */
function element(
  tag: string,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
