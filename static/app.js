// What the pages gain with a script; each of them works without it.
"use strict";

const dialog = () => document.getElementById("dialog");

// A fragment that was swapped into the dialog is a question: show it, once htmx hears what is typed into it.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target !== dialog()) return;
  dialog().ariaLabel = dialog().querySelector(".palette") ? "Find anything" : "Please confirm";
  if (!dialog().open) dialog().showModal();
});

// "Keep it" is a link back; in the dialog it only closes.
document.addEventListener("click", (event) => {
  if (event.target.closest("#dialog [data-close]") || event.target === dialog()) {
    event.preventDefault();
    dialog().close();
  }
});

// Days and times in the reader's own zone, the exact one on hover; "3 hours ago" is the same everywhere.
const SAID = {
  day: { day: "numeric", month: "long", year: "numeric" },
  clock: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
};
const localTimes = (root) => {
  for (const time of root.querySelectorAll("time[datetime*='T']")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title = moment.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short" });
    const said = SAID[time.dataset.said];
    if (said) time.textContent = moment.toLocaleString("en-GB", said);
  }
  for (const zone of root.querySelectorAll("[data-zone]")) zone.hidden = true;
};
document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt));
document.addEventListener("DOMContentLoaded", () => localTimes(document));

// Ctrl-K (or the link) opens the search of everything as a dialog; arrows walk along what was found, Enter opens it.
const palette = () => document.querySelector("a[data-find]");
const openPalette = () => htmx.ajax("GET", palette().getAttribute("href"), { target: "#dialog", swap: "innerHTML" });
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && palette()) {
    event.preventDefault();
    openPalette();
  }
  if (["ArrowDown", "ArrowUp"].includes(event.key) && event.target.closest("[data-arrows], .hit")) {
    event.preventDefault();
    const stops = [document.querySelector("[data-arrows]"), ...document.querySelectorAll("#found .hit")];
    const at = stops.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1);
    stops[Math.min(Math.max(at, 0), stops.length - 1)].focus();
  }
});
document.addEventListener("submit", (event) => {
  const first = event.target.querySelector("[data-arrows]") && document.querySelector("#dialog #found .hit");
  if (!first) return;
  event.preventDefault();
  first.click();
}, true);
document.addEventListener("click", (event) => {
  if (!event.target.closest("a[data-find]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openPalette();
});

// What is to be pasted elsewhere is copied by a button.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard?.writeText(document.getElementById(button.dataset.copy).textContent);
  button.lastChild.textContent = navigator.clipboard ? " Copied" : " Select it and copy";
});

// A choice that stands alone is sent at once; by keyboard, where each arrow is a choice, by the button beside it.
for (const kind of ["keydown", "pointerdown"]) {
  document.addEventListener(kind, (event) => {
    if (event.key === "Tab" || !event.target.matches?.("[data-submit]")) return;
    event.target.toggleAttribute("data-keyed", kind === "keydown");
  });
}
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]:not([data-keyed])")) event.target.form.requestSubmit();
});

// What changes in memory is told to the pages that are looked at; a hidden one holds no connection.
// A list that is read does not jump: it says how much is new, and a click shows it.
let news = null;
const fresh = {};
const isRead = () => window.scrollY > 300 || document.activeElement?.closest(".events, #dialog");
const hear = (said) => {
  for (const [kind, count] of Object.entries(said)) fresh[kind] = (fresh[kind] ?? 0) + count;
  const sign = document.querySelector("[data-fresh]");
  const quiet = sign && (!("follows" in sign.dataset) || isRead());
  const count = sign ? sign.dataset.fresh.split(" ").reduce((sum, kind) => sum + (fresh[kind] ?? 0), 0) : 0;
  if (quiet && count) {
    sign.querySelector("a").textContent = `${count.toLocaleString("en")} new`;
    sign.hidden = false;
  }
  htmx.trigger(document.body, quiet && "follows" in sign.dataset ? "counted" : "live");
};
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id !== "now") return; // a page that the browser goes back to has no target
  for (const kind of Object.keys(fresh)) delete fresh[kind];
  const sign = document.querySelector("[data-fresh]");
  if (sign) sign.hidden = true;
});

// A pause while typing is no step to go back to: Back leaves the search, not a part of its word.
const searched = (address, name) => {
  const filters = new URLSearchParams(address.search);
  const words = filters.get(name);
  filters.delete(name);
  return { words, rest: address.pathname + filters };
};
document.addEventListener("htmx:beforeHistoryUpdate", (event) => {
  const { history, requestConfig } = event.detail;
  const search = requestConfig.elt.querySelector("input[type=search]");
  if (!search) return;
  const before = searched(location, search.name);
  const now = searched(new URL(history.path, location.href), search.name);
  if (before.words && now.words && before.rest === now.rest) history.type = "replace";
});

// What the reader had unfolded stays so when its part of the page comes anew.
let unfolded = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  unfolded = [...event.detail.target.querySelectorAll("details[id][open]")].map((each) => each.id);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
});

// A button that went with its part of the page leaves the keyboard where the part begins, or on the same button anew.
let held = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  held = event.detail.target.contains(document.activeElement) ? document.activeElement : null;
});
document.addEventListener("htmx:afterSettle", (event) => {
  const part = event.detail.target;
  if (!held || held.isConnected || document.activeElement !== document.body || !part?.isConnected) return;
  const same = [...part.querySelectorAll(held.localName)].find((each) => each.isEqualNode(held));
  if (!same) part.tabIndex = -1;
  (same ?? part).focus({ preventScroll: true });
  held = null;
});
const listen = () => {
  const address = document.body?.dataset.live;
  if (!address) return;
  if (document.visibilityState === "hidden") {
    news?.close();
    news = null;
  } else if (!news) {
    news = new EventSource(address);
    news.onmessage = (event) => hear(JSON.parse(event.data));
  }
};
document.addEventListener("DOMContentLoaded", listen);
document.addEventListener("visibilitychange", () => {
  const away = !news;
  listen();
  if (away && news) htmx.trigger(document.body, "live"); // what changed meanwhile
});
window.addEventListener("pagehide", () => news?.close());

// A search within the page shows and hides what is on it: nothing is loaded anew, so nothing that was typed is lost.
const narrow = (search) => {
  const wanted = search.value.trim().toLocaleLowerCase();
  for (const group of document.querySelectorAll(search.form.dataset.narrow)) {
    const title = group.querySelector("h2");
    const place = document.querySelector(`a[href="#${title.id}"]`)?.parentElement;
    for (const field of group.querySelectorAll(":scope .field")) {
      const name = field.querySelector("[name]")?.name ?? "";
      field.hidden = !`${title.textContent} ${field.textContent} ${name}`.toLocaleLowerCase().includes(wanted);
    }
    group.hidden = !group.querySelector(".field:not([hidden])");
    if (place) place.hidden = group.hidden;
  }
  document.querySelector("[data-only]")?.remove();
  const found = Boolean(document.querySelector(`${search.form.dataset.narrow}:not([hidden])`));
  document.querySelector("[data-none]").hidden = found;
  document.querySelector(".save")?.toggleAttribute("hidden", !found);
};
document.addEventListener("input", (event) => {
  if (event.target.form?.dataset.narrow && event.target.type === "search") narrow(event.target);
});
document.addEventListener("submit", (event) => {
  if (event.target.dataset.narrow) event.preventDefault();
});

// "/" goes to the page's search, as in other tools.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea, select, dialog")) return;
  const search = document.querySelector("input[type=search]");
  if (search) {
    event.preventDefault();
    search.focus();
  }
});

// What failed says so, in front of everything, instead of leaving the old answer standing without a word.
const TROUBLES = {
  0: "The hub does not answer. Is it running, and are you connected? What was shown may be old.",
  403: "You may not do this, or the page is too old. Load it anew, and sign in again if you are asked to.",
  404: "It is gone: somebody deleted it meanwhile, or you may not see it. Load the page anew.",
  409: "Somebody changed it meanwhile. Load the page anew, then decide again.",
  413: "That is too much at once.",
  429: "That was too often in a short time. Wait a minute, then try again.",
  503: "The hub is busy, and nothing was changed. Try again in a moment.",
};
const TOO_LONG = "The hub takes too long to answer. What you asked for may be done all the same: load the page anew, then try again.";
const quiet = () => document.querySelector(".trouble")?.remove();
const complain = (said) => {
  quiet();
  const trouble = document.createElement("p");
  trouble.className = "notice notice-bad trouble";
  trouble.setAttribute("role", "alert");
  trouble.textContent = said ?? "That did not work. The log of the web server says why; try again in a moment.";
  (dialog()?.open ? dialog() : document.body).append(trouble);
};
for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, (event) => complain(TROUBLES[event.detail.xhr?.status ?? 0]));
}
document.addEventListener("htmx:timeout", () => complain(TOO_LONG));
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) quiet();
});
document.addEventListener("click", (event) => {
  if (event.target.closest(".trouble")) quiet();
});

// A form that is on its way is not sent twice; a file that is handed out leaves the page, and its button, where they are.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.hasAttribute("data-file")) return;
  if (form.ariaBusy === "true") event.preventDefault();
  else form.ariaBusy = "true";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[aria-busy]")) form.ariaBusy = null;
});

// On a narrow window the doors are a strip: bring the one that is open into sight.
document.addEventListener("DOMContentLoaded", () => {
  const here = document.querySelector(".doors a[aria-current]");
  const strip = here?.closest(".doors");
  if (strip) strip.scrollLeft = here.offsetLeft - strip.offsetLeft - (strip.clientWidth - here.offsetWidth) / 2;
});
