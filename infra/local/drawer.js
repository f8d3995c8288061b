/** The developer's drawer: frames in and out, sent by hand, and a connection that is cut, slow or silent. Local only. */

const MOST = 300;
const names = fetch("/protocol.json").then((answer) => answer.json());
const settings = { slow: false, silent: false };
const sockets = new Set();
const Real = globalThis.WebSocket;
const list = document.createElement("div"); // the page connects before the drawer can open

/** The page's socket; what it sends and hears passes through the drawer. */
globalThis.WebSocket = class extends Real {
  #onmessage = null;

  constructor(...values) {
    super(...values);
    sockets.add(this);
    this.addEventListener("close", () => sockets.delete(this));
    this.addEventListener("message", ({ data }) => {
      show("←", data);
      after(() => !settings.silent && this.#onmessage?.({ data }));
    });
  }

  get onmessage() { return this.#onmessage; }
  set onmessage(handler) { this.#onmessage = handler; }

  send(data) {
    show("→", data);
    after(() => !settings.silent && this.readyState === Real.OPEN && super.send(data));
  }
};

const after = (act) => (settings.slow ? setTimeout(act, 2000) : act());

async function show(way, data) {
  const { schemas } = await names;
  let frame;
  try { frame = JSON.parse(data); } catch { frame = {}; }
  const line = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = `${way} ${frame.action ?? frame.code ?? frame.type ?? "?"} · ${schemas[frame.action ?? frame.type] ?? "not of the protocol"}`;
  const text = document.createElement("pre");
  text.textContent = JSON.stringify({ ...frame, ...(frame.token && { token: "…" }) }, null, 1);
  line.append(summary, text);
  list.prepend(line);
  while (list.childElementCount > MOST) list.lastElementChild.remove();
}

function button(label, act) {
  const made = document.createElement("button");
  made.textContent = label;
  made.type = "button";
  made.onclick = () => act(made);
  return made;
}

const toggle = (name) => (made) => {
  settings[name] = !settings[name];
  made.setAttribute("aria-pressed", settings[name]);
};

async function open() {
  const drawer = document.createElement("aside");
  drawer.id = "drawer";
  drawer.style.cssText = "position:fixed;right:0;top:0;bottom:0;width:22rem;overflow:auto;z-index:9;background:Canvas;color:CanvasText;"
    + "border-left:1px solid;padding:.5rem;font:12px monospace";
  const input = document.createElement("input");
  const choices = document.createElement("datalist");
  input.setAttribute("list", choices.id = "drawer-requests");
  input.setAttribute("aria-label", "Request to send");
  input.style.width = "100%";
  input.onkeydown = (event) => {
    event.stopPropagation(); // the page types into its board
    if (event.key === "Enter") for (const socket of sockets) socket.send(input.value);
  };
  drawer.append(
    button("cut", () => sockets.forEach((socket) => socket.close())), button("slow", toggle("slow")), button("silent", toggle("silent")),
    button("clock +30 s", () => fetch("/jump", { method: "POST", headers: { "content-type": "application/json" }, body: "30000" })),
    input, choices, list,
  );
  document.body.append(drawer);
  for (const example of (await names).requests) {
    const option = document.createElement("option");
    option.value = JSON.stringify(example);
    choices.append(option);
  }
}

addEventListener("DOMContentLoaded", open);
